import type { Relay } from "../../relay/relay.ts";
import { addressIn, type Mount, relayRoute } from "../../routing/guards.ts";

/** Other floors have no credential here: like the address of an agent, a relay address needs none. */
export function mountRelay(mount: Mount, relay: Relay): void {
  mount(relayRoute, (c) => {
    const [speaker, isAnonymous] = [c.req.param("speaker") ?? "", c.get("isAnonymous")];
    return relay(c.req.raw, { speaker, address: addressIn(c), isAnonymous, onWait: c.env?.onWait });
  });
}
