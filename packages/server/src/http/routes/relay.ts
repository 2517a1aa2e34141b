import type { Relay } from "../../relay/relay.ts";
import { addressIn, type Mount, relayRoute } from "../../routing/guards.ts";

/** Other floors have no credential here: like the address of an agent, a relay address needs none. */
export function mountRelay(mount: Mount, relay: Relay): void {
  mount(relayRoute, (c) => {
    const [speaker, isStranger] = [c.req.param("speaker") ?? "", c.get("isStranger")];
    return relay(c.req.raw, { speaker, address: addressIn(c), isStranger, onWait: c.env?.onWait });
  });
}
