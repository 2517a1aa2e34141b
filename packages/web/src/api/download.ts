import { type ExportFormat, exportKinds } from "@plenary/transcript";
import type { Client } from "./client.ts";

const patienceMs = 300_000;
const nameMax = 60;

/** Downloads what this reader may see of it. The credential goes with the request, so a mere link would not do. */
export async function downloadExport(client: Client, path: string, title: string, format: ExportFormat): Promise<void> {
  const body = await client.stream(`${path}format=${format}`, AbortSignal.timeout(patienceMs));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await new Response(body).blob());
  link.download = `${title.replace(/[^\p{L}\p{N} _-]+/gu, "-").slice(0, nameMax)}.${exportKinds[format].ending}`;
  link.click();
  // The browser reads it on its own time.
  setTimeout(() => URL.revokeObjectURL(link.href), patienceMs);
}
