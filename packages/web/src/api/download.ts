import { type ExportFormat, exportKinds } from "@plenary/transcript";
import type { Client } from "./client.ts";

const patienceMs = 300_000;
const nameMax = 60;

/** Downloads an export as this reader may see it. A plain link would not carry the credential. */
export async function downloadExport(client: Client, path: string, title: string, format: ExportFormat): Promise<void> {
  const body = await client.stream(`${path}format=${format}`, AbortSignal.timeout(patienceMs));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await new Response(body).blob());
  link.download = `${title.replace(/[^\p{L}\p{N} _-]+/gu, "-").slice(0, nameMax)}.${exportKinds[format].ending}`;
  link.click();
  // The browser may read the blob later.
  setTimeout(() => URL.revokeObjectURL(link.href), patienceMs);
}
