import { Problem } from "../errors.ts";
import { assertRecipientOf } from "../in-reply-to.ts";
import type { Running } from "../running.ts";
import { accept } from "./accept.ts";
import { readText } from "./body.ts";
import type { Mount } from "./mount.ts";

/** For pages, and for whoever calls the floor without a socket; other envelopes take the door in `node-door.ts`. */
export function mountOpenFloor(mount: Mount, running: Running): void {
  mount("POST /openfloor", async (c) => {
    const text = await readText(c.req.raw, running.bodyBytesMax);
    const header = (name: string) => c.req.header(name);
    const principal = c.get("principal");
    if (principal.kind === "recipient") assertRecipientOf(running, text, header("in-reply-to") ?? "");
    const { headers, body } = await accept(running, { text, principal, header, onWait: c.env?.onWait });
    return c.body(body, 200, headers);
  });
  mount("ALL /openfloor", () => {
    throw new Problem("method-not-allowed", { detail: "envelopes are sent here by POST" });
  });
}
