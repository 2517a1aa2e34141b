import { Problem } from "../errors.ts";
import { type ExportFormat, exportConversation, exportFormats, exportKinds } from "../export.ts";
import type { Running } from "../running.ts";
import type { Mount } from "./mount.ts";

/** Even where a browser opens it instead of keeping it, it runs nothing and reaches nobody. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; sandbox";
/** So many documents are made at once: each holds a conversation in memory. */
const documentsMax = 4;

export function mountExport(mount: Mount, { store }: Pick<Running, "store">): void {
  let documents = 0;
  mount("GET /api/v1/conversations/:id/export", async (c) => {
    const format = formatIn(c.req.query("format"));
    const floor = c.get("floor");
    const speaker = c.get("speaker");
    const pieces = exportConversation(store, floor, { format, ...(speaker !== undefined && { speaker }) });
    for (const [name, value] of Object.entries(headersOf(format, floor.id))) c.header(name, value);
    if (format === "jsonl") return c.body(streamOf(pieces));
    if (documents >= documentsMax) throw new Problem("busy", { detail: `${documentsMax} exports are being made now` });
    documents += 1;
    try {
      const { value = "" } = await pieces.next();
      return c.body(value);
    } finally {
      documents -= 1;
    }
  });
}

function formatIn(asked: string | undefined): ExportFormat {
  const format = exportFormats.find((one) => one === asked);
  if (format !== undefined) return format;
  const detail = `format: ${asked === undefined ? "it is missing" : "there is none of this name"}`;
  throw new Problem("bad-request", { detail, fix: `say format=${exportFormats.join(", format=")}` });
}

function headersOf(format: ExportFormat, id: string): Record<string, string> {
  const { type, ending } = exportKinds[format];
  return {
    "Content-Type": type,
    // RFC 8187: an id may be any text.
    "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(`${id}.${ending}`).replace(/['()*]/gu, percent)}`,
    "Content-Security-Policy": policy,
    "Cache-Control": "private, no-store",
  };
}

function percent(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** The next piece is made when the reader has room for it. */
function streamOf(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}
