import { type ExportFormat, exportFormats, exportKinds, isExportFormat } from "@plenary/transcript";
import { exportConversation } from "../../archive/export.ts";
import type { ServerContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Mount } from "../../routing/guards.ts";

/** Even where a browser opens it instead of keeping it, it runs nothing and reaches nobody. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; sandbox";
/** So many documents are made at once: each holds the end of a conversation in memory until its reader has it. */
const documentsMax = 4;
/** A reader that takes nothing for so long is left, and its place is another's. */
const stalledMs = 60_000;

export function mountExport(mount: Mount, { store, clock }: Pick<ServerContext, "store" | "clock">): void {
  let documents = 0;
  mount("GET /api/v1/conversations/:id/export", async (c) => {
    const format = formatIn(c.req.query("format"));
    const floor = c.get("floor");
    const speaker = c.get("speaker");
    const isDocument = format !== "jsonl";
    if (isDocument && documents >= documentsMax) {
      throw new Problem("busy", { detail: `${documentsMax} exports are being made now` });
    }
    const pieces = exportConversation(store, floor, { format, ...(speaker !== undefined && { speaker }) });
    for (const [name, value] of Object.entries(headersOf(format, floor.id))) c.header(name, value);
    if (!isDocument) return c.body(streamOf(pieces, clock, () => {}));
    documents += 1;
    const release = () => {
      documents -= 1;
    };
    return c.body(streamOf(pieces, clock, release));
  });
}

function formatIn(asked: string | undefined): ExportFormat {
  if (asked !== undefined && isExportFormat(asked)) return asked;
  const detail = `format: ${asked === undefined ? "it is missing" : "there is none of this name"}`;
  throw new Problem("bad-request", { detail, fix: `say format=${exportFormats.join(", format=")}` });
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

/** The next piece is made when the reader has room for it. `onEnd` is called once, however it ends. */
function streamOf(pieces: AsyncGenerator<string>, clock: Clock, onEnd: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stopWaiting: (() => void) | undefined;
  let isOver = false;
  const end = () => {
    stopWaiting?.();
    if (!isOver) onEnd();
    isOver = true;
  };
  const leave = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    end();
    controller.error(new Error("nobody reads this export"));
    await pieces.return(undefined);
  };
  return new ReadableStream({
    async pull(controller) {
      stopWaiting?.();
      try {
        const { value, done } = await pieces.next();
        if (done !== true) controller.enqueue(encoder.encode(value));
        else controller.close();
        if (done === true) end();
        else stopWaiting = clock.at(clock.now() + stalledMs, () => void leave(controller));
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
