import type { ProcessContext } from "../../context.ts";
import type { Mount } from "../../routing/guards.ts";
import { openEventStream } from "../../streams/sse.ts";
import type { Streams } from "../../streams/streams.ts";

/** Event streams, and the tickets that open a socket of a browser. */
export function mountStreams(
  mount: Mount,
  server: ProcessContext,
  { viewers, tickets, limits, expiryWatch }: Streams,
): void {
  mount("GET /openfloor/events", (c) =>
    openEventStream(c.req.raw, c.get("principal"), { viewers, limits, expiryWatch, clock: server.clock }),
  );
  mount("POST /api/v1/tickets", async (c, { body, answer }) => {
    const { speaker } = await body();
    return answer(tickets.issue(c.get("principal"), speaker), 201);
  });
}
