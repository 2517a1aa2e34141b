import type { Conversation, ConversationSummary, Floor, HostClient } from "@plenary/client";
import type { LogFile } from "@plenary/server";
import { ConversationLookupError, FloorError, isFloorProblem } from "../errors.ts";

/** Ordered by id; `next` is the cursor of the next page. */
type Page = { conversations: readonly ConversationSummary[]; next: string | null };

const pageMax = 1_000;
const listMax = 100_000;

/** Reads page by page, at most `listMax`. */
async function* pagesOf(pageAfter: (after: string) => Promise<Page>): AsyncGenerator<ConversationSummary> {
  let after: string | null = "";
  for (let count = 0; count < listMax && after !== null; count += pageMax) {
    const page: Page = await pageAfter(after);
    yield* page.conversations;
    after = page.next;
  }
}

/** The conversations visible to the token. */
export function conversationsAt(floor: HostClient): AsyncGenerator<ConversationSummary> {
  return pagesOf((after) => floor.call("GET /api/v1/conversations", { query: { limit: pageMax, after } }));
}

/** All conversations of a store. */
export function conversationsIn(log: Pick<LogFile, "list">): AsyncGenerator<ConversationSummary> {
  return pagesOf(async (after) => {
    const conversations = await log.list({ after, limit: pageMax });
    return { conversations, next: conversations.length < pageMax ? null : (conversations.at(-1)?.id ?? null) };
  });
}

type Listed = Pick<ConversationSummary, "id" | "title" | "updatedAt">;

/** A shorter prefix matches too many ids. */
const beginningMin = 3;
const listedMax = 5;

/** Finds by id, else by a unique id prefix or title. */
export async function findConversation<One extends Listed>(name: string, all: AsyncIterable<One>): Promise<One> {
  const meant: One[] = [];
  let count = 0;
  for await (const one of all) {
    if (one.id === name) return one;
    if (!matchesName(one, name)) continue;
    count += 1;
    if (count <= listedMax) meant.push(one);
  }
  const [only] = meant;
  if (only === undefined) {
    throw new ConversationLookupError(`no conversation matches ${name}: plenary export lists all conversations`);
  }
  if (count === 1) return only;
  const list = meant.map(({ id, updatedAt }) => `${id} of ${updatedAt.slice(0, 16).replace("T", " ")}`);
  const more = count > meant.length ? ", ..." : "";
  throw new ConversationLookupError(`${count} conversations match ${name}: give the id (${list.join(", ")}${more})`);
}

function matchesName({ id, title }: Listed, name: string): boolean {
  return (name.length >= beginningMin && id.startsWith(name)) || title?.toLowerCase() === name.toLowerCase();
}

/** Limits the requests when this speaker left many conversations. */
const checkedMax = 10;

/** The most recently updated open conversation this speaker is in. */
export async function lastJoinedConversation(floor: Floor): Promise<Conversation | undefined> {
  const open: Listed[] = [];
  for await (const one of floor.conversations()) if (!one.isClosed) open.push(one);
  open.sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
  for (const { id } of open.slice(0, checkedMax)) {
    const joined = await joinedConversation(floor, id);
    if (joined !== undefined) return joined;
  }
  return undefined;
}

/** 403 and 404 mean that the speaker is not in the conversation. */
async function joinedConversation(floor: Floor, id: string): Promise<Conversation | undefined> {
  try {
    return await floor.join(id);
  } catch (problem) {
    if (isFloorProblem(problem) && (problem.status === 403 || problem.status === 404)) return undefined;
    throw problem;
  }
}

export function assertCanHost({ me }: Floor): void {
  if (me.canHost) return;
  const why = "this key cannot start conversations: give --conversation, or create a key with --person";
  throw new FloorError(why, { status: 403 });
}

/** Starts a conversation owned by this speaker. */
export async function startConversation(floor: Floor, title: string): Promise<Conversation> {
  assertCanHost(floor);
  return floor.open({ title });
}
