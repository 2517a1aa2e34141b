import type { ServerContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import { readJsonObject } from "../../routing/body.ts";
import { textField } from "../../routing/fields.ts";
import type { Mount } from "../../routing/guards.ts";
import { openEventStream } from "../../streams/sse.ts";
import type { Streams } from "../../streams/streams.ts";

/** Event streams, and the tickets that open a socket of a browser. */
export function mountStreams(
  mount: Mount,
  server: ServerContext,
  { viewers, tickets, limits, expiryWatch }: Streams,
): void {
  mount("GET /openfloor/events", (c) =>
    openEventStream(c.req.raw, c.get("principal"), { viewers, limits, expiryWatch, clock: server.clock }),
  );
  mount("POST /api/v1/tickets", async (c) => {
    const fields = await readJsonObject(c.req.raw, server.bodyBytesMax);
    const unknown = Object.keys(fields).find((name) => name !== "speaker");
    if (unknown !== undefined) {
      throw new Problem("bad-request", { pointer: `/${unknown}`, detail: "a ticket has the field `speaker` only" });
    }
    return c.json(tickets.issue(c.get("principal"), textField(fields, "speaker")), 201);
  });
}
