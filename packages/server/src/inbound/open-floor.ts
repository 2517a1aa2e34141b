import type { Hono } from "hono";
import { Problem } from "../errors.ts";
import type { Running } from "../running.ts";
import { accept } from "./accept.ts";
import { readText } from "./body.ts";
import type { Env } from "./env.ts";

/** For pages, and for whoever calls the floor without a socket; other envelopes take the door in `node-door.ts`. */
export function mountOpenFloor(app: Hono<Env>, running: Running): void {
  app.post("/openfloor", async (c) => {
    const text = await readText(c.req.raw, running.bodyBytesMax);
    const header = (name: string) => c.req.header(name);
    const { headers, body } = await accept(running, { text, principal: c.get("principal"), header });
    return c.body(body, 200, headers);
  });
  app.all("/openfloor", () => {
    throw new Problem("method-not-allowed", { detail: "envelopes are sent here by POST" });
  });
}
