import type { ConversationContext } from "../../context.ts";
import { assertRecipientOf } from "../../conversation/reply-authorization.ts";
import { Problem } from "../../errors.ts";
import type { Relay } from "../../relay/relay.ts";
import { readJsonText } from "../../routing/body.ts";
import { addressIn, type Mount, relayRoute } from "../../routing/guards.ts";
import { accept } from "../../routing/post-envelope.ts";

/** For pages, and for callers in this process; other envelopes take `fast-path.ts`. */
export function mountOpenFloor(mount: Mount, server: ConversationContext): void {
  mount("POST /openfloor", async (c) => {
    const document = await readJsonText(c.req.raw, server.bodyBytesMax);
    const header = (name: string) => c.req.header(name);
    const principal = c.get("principal");
    if (principal.kind === "recipient") assertRecipientOf(server, document, header("in-reply-to") ?? "");
    const { headers, body } = await accept(server, { document, principal, header, onWait: c.env?.onWait });
    return c.body(body, 200, headers);
  });
  mount("ALL /openfloor", () => {
    throw new Problem("method-not-allowed", { detail: "envelopes are sent here by POST" });
  });
}

/** Other floors have no credential here: like the address of an agent, a relay address needs none. */
export function mountRelay(mount: Mount, relay: Relay): void {
  mount(relayRoute, (c) => {
    const [speaker, isAnonymous] = [c.req.param("speaker") ?? "", c.get("isAnonymous")];
    return relay(c.req.raw, { speaker, address: addressIn(c), isAnonymous, onWait: c.env?.onWait });
  });
}

/** Server-sent events, and tickets for WebSockets. */
