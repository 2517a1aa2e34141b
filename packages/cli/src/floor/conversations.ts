import { isSameUri } from "@plenary/protocol";
import type { Summary } from "@plenary/server";
import { FloorProblem, UnclearConversation } from "../errors.ts";
import type { FloorAccess } from "./access.ts";
import type { Caller } from "./client.ts";
import type { ConversationView } from "./conversation-client.ts";

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

type Listed = Pick<Summary, "id" | "title" | "updatedAt">;

/** Fewer letters begin too many ids. */
const beginningMin = 3;
const toldMax = 5;

/** By its id; else by the beginning of its id or its title, if that is the name of one alone. */
export async function conversationCalled<One extends Listed>(name: string, all: AsyncIterable<One>): Promise<One> {
  const meant: One[] = [];
  let count = 0;
  for await (const one of all) {
    if (one.id === name) return one;
    if (!isCalled(one, name)) continue;
    count += 1;
    if (count <= toldMax) meant.push(one);
  }
  const [only] = meant;
  if (only === undefined) {
    throw new UnclearConversation(`no conversation is called ${name}: plenary export lists those there are`);
  }
  if (count === 1) return only;
  const list = meant.map(({ id, updatedAt }) => `${id} of ${updatedAt.slice(0, 16).replace("T", " ")}`);
  const more = count > meant.length ? ", ..." : "";
  throw new UnclearConversation(
    `${count} conversations are called ${name}: say which by its id (${list.join(", ")}${more})`,
  );
}

function isCalled({ id, title }: Listed, name: string): boolean {
  return (name.length >= beginningMin && id.startsWith(name)) || title?.toLowerCase() === name.toLowerCase();
}

/** So many are looked at: whoever leaves one after the other does not make the next command slow. */
const lookedAtMax = 10;

/** The open one that was spoken in last of those this person is in; who has left one is not in it. */
export async function newestSeated(caller: Caller): Promise<string | undefined> {
  const open: Summary[] = [];
  for await (const one of conversationsAt(caller, caller.speakerUri)) if (!one.isClosed) open.push(one);
  open.sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
  for (const { id } of open.slice(0, lookedAtMax)) {
    if (await isSeated(caller, id)) return id;
  }
  return undefined;
}

/** The floor shows one that goes on to those who are in it alone. */
async function isSeated(caller: Caller, id: string): Promise<boolean> {
  try {
    const { conversants } = await viewOf(caller, id);
    return conversants.some(({ identification }) => isSameUri(identification.speakerUri, caller.speakerUri));
  } catch (cause) {
    if (cause instanceof FloorProblem && (cause.status === 403 || cause.status === 404)) return false;
    throw cause;
  }
}

export function viewOf(caller: Caller, id: string): Promise<ConversationView> {
  const speaker = encodeURIComponent(caller.speakerUri);
  return caller.json(`${conversationsPath}/${encodeURIComponent(id)}?speaker=${speaker}`);
}

export function assertMayBegin({ mayHost }: Caller): void {
  if (mayHost) return;
  const why = "this key may not begin conversations: name one with --conversation, or make a key with --person";
  throw new FloorProblem(why, { status: 403 });
}

/** A new one, of this person's own. */
export async function beginConversation(caller: Caller, title: string): Promise<string> {
  assertMayBegin(caller);
  const { speakerUri, name } = caller;
  const owner = { identification: { speakerUri, ...(name !== undefined && { conversationalName: name }) } };
  return (await caller.json<{ id: string }>(conversationsPath, { method: "POST", body: { owner, title } })).id;
}
