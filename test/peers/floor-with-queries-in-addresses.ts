// A floor that writes more into an address than its agent uses: a key in the query, a slash at the end, the default
// port, another name of this machine. Seen where people paste addresses, and behind gateways that need a key.
import { post, says, type WireEvent } from "./foreign-floor.ts";

/** `url` is where it posts to, `named` how it writes that address into `to`. */
export function floorWithQueriesInAddresses(url: string, named: string) {
  const send = async (event: object): Promise<WireEvent[]> => (await post(url, [event])).events;
  return {
    invite: () => send({ eventType: "invite", to: { serviceUrl: named } }),
    ask: (text: string) => send(says(text, { serviceUrl: named })),
  };
}
