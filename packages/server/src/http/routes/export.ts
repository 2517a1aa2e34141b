import { type ExportFormat, exportKinds } from "@plenary/transcript";
import { exportConversation } from "../../archive/export.ts";
import type { ProcessContext, StorageContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import { createCounts } from "../../keyed-counter.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Mount } from "../../routing/guards.ts";

/** A browser that opens the file runs no script and loads nothing. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; sandbox";
/** Concurrent document exports: each holds the end of a conversation in memory. */
const documentsMax = 4;
/** An export that the client does not read for this long is aborted. */
const stalledMs = 60_000;

export function mountExport(
  mount: Mount,
  { log, clock }: Pick<ProcessContext & StorageContext, "log" | "clock">,
): void {
  const documents = createCounts();
  mount("GET /api/v1/conversations/:id/export", async (c, { query: { format } }) => {
    const floor = c.get("floor");
    const speaker = c.get("speaker");
    const isDocument = format !== "jsonl";
    if (isDocument && documents.all() >= documentsMax) {
      throw new Problem("busy", { detail: `${documentsMax} exports are running` });
    }
    const pieces = exportConversation(log, floor, { format, ...(speaker !== undefined && { speaker }) });
    for (const [name, value] of Object.entries(headersOf(format, floor.id))) c.header(name, value);
    return c.body(streamOf(pieces, clock, isDocument ? documents.add(floor.id) : () => {}));
  });
}

function headersOf(format: ExportFormat, id: string): Record<string, string> {
  const { mimeType, ending } = exportKinds[format];
  return {
    "Content-Type": `${mimeType}; charset=utf-8`,
    // RFC 8187: an id may be any text.
    "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(`${id}.${ending}`).replace(/['()*]/gu, percent)}`,
    "Content-Security-Policy": policy,
    "Cache-Control": "private, no-store",
  };
}

function percent(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Creates the next piece when the client has read the last. `onEnd` may be called twice. */
function streamOf(pieces: AsyncGenerator<string>, clock: Clock, onEnd: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let cancelTimeout: (() => void) | undefined;
  const end = () => {
    cancelTimeout?.();
    onEnd();
  };
  const abort = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    end();
    controller.error(new Error("the client does not read this export"));
    await pieces.return(undefined);
  };
  return new ReadableStream({
    async pull(controller) {
      cancelTimeout?.();
      try {
        const { value, done } = await pieces.next();
        if (done !== true) controller.enqueue(encoder.encode(value));
        else controller.close();
        if (done === true) end();
        else cancelTimeout = clock.at(clock.now() + stalledMs, () => void abort(controller));
      } catch (cause) {
        end();
        throw cause;
      }
    },
    async cancel() {
      end();
      await pieces.return(undefined);
    },
  });
}
