import type { Summary } from "@plenary/server";
import type { FloorAccess } from "./floor-access.ts";

export const conversationsPath = "/api/v1/conversations";

/** By id; `next` is where the page after it begins. */
type Page = { conversations: readonly Summary[]; next: string | null };

export const pageMax = 1_000;
const listMax = 100_000;

/** Page by page, at most `listMax`. */
export async function* listed(pageAfter: (after: string) => Promise<Page>): AsyncGenerator<Summary> {
  let after: string | null = "";
  for (let count = 0; count < listMax && after !== null; count += pageMax) {
    const page: Page = await pageAfter(after);
    yield* page.conversations;
    after = page.next;
  }
}

/** Those that a floor shows to whoever asks; of a speaker, those in which it may see something. */
export function conversationsAt(floor: Pick<FloorAccess, "json">, speaker?: string): AsyncGenerator<Summary> {
  return listed((after) => {
    const query = new URLSearchParams({ limit: String(pageMax), after, ...(speaker !== undefined && { speaker }) });
    return floor.json<Page>(`${conversationsPath}?${query}`);
  });
}
