import type { UtteranceLine } from "@plenary/transcript";
import { nameIn, speakerWords } from "@plenary/transcript";
import { spokenTextOf } from "../features/plain-text.ts";
import type { Connection, ConversationState } from "../state/types.ts";
import { shortened, type Tone } from "./create-announcer.ts";

export type Announcement = { sentence: string; tone: Tone };

const textMax = 200;
// After a long absence only the count and the newest utterance are announced.
const utterancesMax = 4;

/** Announcements for the changes between two states of one conversation. What the page opened with is not announced. */
export function announcementsOf(before: ConversationState | undefined, after: ConversationState): Announcement[] {
  if (before === undefined || before.id !== after.id || before.connection === "loading") return [];
  const sentences = [...connectionNews(before.connection, after), ...draftNews(before, after)];
  if (before.view !== after.view) sentences.push(...seatNews(before, after), ...floorNews(before, after));
  if (before.lines !== after.lines) sentences.push(...utteranceNews(before, after));
  if (before.view.isPaused !== after.view.isPaused) {
    sentences.push(plain(after.view.isPaused ? "The agents were paused" : "The agents go on"));
  }
  if (!before.view.isClosed && after.view.isClosed) sentences.push(plain("The conversation was closed"));
  return sentences;
}

function connectionNews(before: Connection, { connection, problem }: ConversationState): Announcement[] {
  if (before === connection) return [];
  if (connection === "gone") return [plain(problem ?? "The conversation is gone")];
  if (connection === "live") return [plain("Connected again")];
  return isCut(connection) && !isCut(before) ? [plain("Connection lost, trying again")] : [];
}

function isCut(connection: Connection): boolean {
  return connection === "reconnecting" || connection === "offline";
}

function draftNews(before: ConversationState, after: ConversationState): Announcement[] {
  if (before.drafts === after.drafts) return [];
  const known = new Set(before.drafts.map((draft) => draft.dialogEventId));
  return after.drafts
    .filter((draft) => !known.has(draft.dialogEventId) && draft.speakerUri !== after.me)
    .map((draft) => quiet(`${named(after, draft.speakerUri)} is answering`));
}

function seatNews(before: ConversationState, after: ConversationState): Announcement[] {
  const were = joinedIn(before);
  const are = joinedIn(after);
  const joined = others(
    after,
    [...are].filter((speakerUri) => !were.has(speakerUri)),
  );
  const left = others(
    after,
    [...were].filter((speakerUri) => !are.has(speakerUri)),
  );
  return [
    ...groupSentence(
      joined.map((speakerUri) => named(after, speakerUri)),
      "joined",
      "joined",
    ),
    ...groupSentence(
      left.map((speakerUri) => named(before, speakerUri)),
      "left",
      "left",
    ),
  ];
}

function joinedIn({ view }: ConversationState): Set<string> {
  const joined = view.conversants.filter(({ state }) => state === "joined");
  return new Set(joined.map(({ identification }) => identification.speakerUri));
}

function floorNews(before: ConversationState, after: ConversationState): Announcement[] {
  const { me } = after;
  const had = before.view.floorGranted;
  const has = after.view.floorGranted;
  const asked = after.view.floorRequested.filter((speakerUri) => !before.view.floorRequested.includes(speakerUri));
  const granted = has.filter((speakerUri) => !had.includes(speakerUri));
  const news = groupSentence(
    others(after, asked).map((uri) => named(after, uri)),
    "asked for the floor",
    "asked for the floor",
  );
  news.push(
    ...groupSentence(
      others(after, granted).map((uri) => named(after, uri)),
      "has the floor",
      "have the floor",
    ),
  );
  if (granted.includes(me)) news.push(plain("You have the floor"));
  if (had.includes(me) && !has.includes(me)) news.push(plain("You no longer have the floor"));
  if (had.length > 0 && has.length === 0) news.push(quiet("Nobody has the floor"));
  return news;
}

function utteranceNews(before: ConversationState, after: ConversationState): Announcement[] {
  const seenSeq = before.entries.at(-1)?.seq ?? before.view.seq;
  const fresh: UtteranceLine[] = [];
  for (let index = after.lines.length - 1; index >= 0; index -= 1) {
    const line = after.lines[index];
    if (line === undefined || line.seq <= seenSeq) break;
    if (line.kind === "utterance" && line.sender !== after.me) fresh.unshift(line);
  }
  if (fresh.length <= utterancesMax) return fresh.map((line) => plain(utteranceSentence(line, after)));
  return [
    plain(`${fresh.length} new utterances`),
    ...fresh.slice(-1).map((line) => plain(utteranceSentence(line, after))),
  ];
}

function utteranceSentence(line: UtteranceLine, state: ConversationState): string {
  const name = speakerWords(line, (speakerUri) => (speakerUri === state.me ? "you" : named(state, speakerUri)));
  const text = shortened(spokenTextOf(line.dialogEvent), textMax) || "something without words";
  if (!line.isWhisper) return `${name}: ${text}`;
  const recipient = line.to === undefined || line.to === state.me ? "you" : named(state, line.to);
  return `${name}${line.relayedFrom === undefined ? "" : ","} whispers to ${recipient}: ${text}`;
}

function others({ me }: ConversationState, speakerUris: readonly string[]): string[] {
  return speakerUris.filter((speakerUri) => speakerUri !== me);
}

function named(state: ConversationState, speakerUri: string): string {
  return nameIn(state, speakerUri);
}

/** One sentence for several conversants: "Ada, Bob and 3 more joined". */
function groupSentence(names: readonly string[], one: string, many: string): Announcement[] {
  const [first, second] = names;
  if (first === undefined) return [];
  if (second === undefined) return [quiet(`${first} ${one}`)];
  const rest = names.length - 2;
  return [quiet(rest > 0 ? `${first}, ${second} and ${rest} more ${many}` : `${first} and ${second} ${many}`)];
}

function plain(sentence: string): Announcement {
  return { sentence, tone: "plain" };
}

function quiet(sentence: string): Announcement {
  return { sentence, tone: "quiet" };
}
