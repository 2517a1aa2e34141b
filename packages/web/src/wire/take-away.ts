import type { Client } from "./client.ts";

/** How a conversation can be taken away: as the floor calls it, for people, and how the file ends. */
export const exportKinds = [
  ["html", "a page", "html"],
  ["markdown", "Markdown", "md"],
  ["mermaid", "a Mermaid diagram", "mmd"],
  ["jsonl", "JSON lines", "jsonl"],
] as const;

export type Export = (typeof exportKinds)[number];

const patienceMs = 300_000;
const nameMax = 60;

/** Downloads what this reader may see of it. The credential goes with the request, so a mere link would not do. */
export async function takeAway(client: Client, path: string, title: string, [format, , ending]: Export): Promise<void> {
  const body = await client.stream(`${path}format=${format}`, AbortSignal.timeout(patienceMs));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await new Response(body).blob());
  link.download = `${title.replace(/[^\p{L}\p{N} _-]+/gu, "-").slice(0, nameMax)}.${ending}`;
  link.click();
  // The browser reads it on its own time.
  setTimeout(() => URL.revokeObjectURL(link.href), patienceMs);
}
