import { type Line, nameIn, type UtteranceLine } from "@plenary/transcript";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { spokenTextOf } from "../features/plain-text.ts";
import type { Connection, ConversationState } from "../state/types.ts";
import { speakerText, texts } from "../texts/texts.ts";
import { type Announcer, type Spoken, shortened, type Tone } from "./create-announcer.ts";

// A screen reader must notice a new region before its text arrives.
const settleMs = 120;

/** While a modal dialog is open everything else is inert, so the region is rendered inside the dialog. */
export function LiveRegion({ announcer }: { announcer: Announcer }) {
  const spoken = useSyncExternalStore(announcer.subscribe, announcer.spoken, announcer.spoken);
  const [modal, setModal] = useState<Element | null>(null);
  useEffect(() => {
    if (spoken !== undefined) setModal(topmostModal());
  }, [spoken]);
  useEffect(() => announcer.stop, [announcer]);
  return (
    <>
      <Region spoken={modal === null ? spoken : undefined} />
      {modal !== null && createPortal(<LateRegion spoken={spoken} />, modal)}
    </>
  );
}

function LateRegion({ spoken }: { spoken: Spoken | undefined }) {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), settleMs);
    return () => clearTimeout(timer);
  }, []);
  return <Region spoken={isSettled ? spoken : undefined} />;
}

function Region({ spoken }: { spoken: Spoken | undefined }) {
  return (
    <div className="unseen" role="status" aria-live="polite" aria-atomic="true" data-announcer="">
      {spoken && <p key={spoken.id}>{spoken.sentence}</p>}
    </div>
  );
}

function topmostModal(): Element | null {
  return [...document.querySelectorAll("dialog:modal")].at(-1) ?? null;
}

type Announce = (sentence: string, tone?: Tone) => void;

/** Announces changes of the open conversation in whole sentences, never single words. */
export function useAnnouncements(conversation: ConversationState | undefined, announce: Announce): void {
  const before = useRef<ConversationState>(undefined);
  useEffect(() => {
    if (conversation !== undefined) {
      for (const { sentence, tone } of announcementsOf(before.current, conversation)) announce(sentence, tone);
    }
    before.current = conversation;
  }, [conversation, announce]);
}

type Announcement = { sentence: string; tone: Tone };

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
    sentences.push(plain(after.view.isPaused ? texts.announcements.paused : texts.announcements.resumed));
  }
  if (!before.view.isClosed && after.view.isClosed) sentences.push(plain(texts.announcements.closed));
  return sentences;
}

function connectionNews(before: Connection, { connection, problem }: ConversationState): Announcement[] {
  if (before === connection) return [];
  if (connection === "gone") return [plain(problem ?? texts.announcements.gone)];
  if (connection === "live") return [plain(texts.announcements.connected)];
  return isCut(connection) && !isCut(before) ? [plain(texts.head.states.reconnecting)] : [];
}

function isCut(connection: Connection): boolean {
  return connection === "reconnecting" || connection === "offline";
}

function draftNews(before: ConversationState, after: ConversationState): Announcement[] {
  if (before.drafts === after.drafts) return [];
  const known = new Set(before.drafts.map((draft) => draft.dialogEventId));
  return after.drafts
    .filter((draft) => !known.has(draft.dialogEventId) && draft.speakerUri !== after.me)
    .map((draft) => quiet(texts.announcements.isAnswering(nameIn(after, draft.speakerUri))));
}

function seatNews(before: ConversationState, after: ConversationState): Announcement[] {
  const were = joinedIn(before);
  const are = joinedIn(after);
  const joined = [...are].filter((speakerUri) => !were.has(speakerUri));
  const left = [...were].filter((speakerUri) => !are.has(speakerUri));
  return [
    ...newsOfOthers(after, joined, texts.announcements.joined),
    ...newsOfOthers(before, left, texts.announcements.left),
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
  const news = [
    ...newsOfOthers(after, asked, texts.announcements.askedForFloor),
    ...newsOfOthers(after, granted, texts.announcements.hasFloor),
  ];
  if (granted.includes(me)) news.push(plain(texts.announcements.youHaveFloor));
  if (had.includes(me) && !has.includes(me)) news.push(plain(texts.announcements.youLostFloor));
  if (had.length > 0 && has.length === 0) news.push(quiet(texts.announcements.noOneHasFloor));
  return news;
}

function utteranceNews(before: ConversationState, after: ConversationState): Announcement[] {
  const seenSeq = before.entries.at(-1)?.seq ?? before.view.seq;
  const start = after.lines.findLastIndex(({ seq }) => seq <= seenSeq) + 1;
  const isOfOther = (line: Line): line is UtteranceLine => line.kind === "utterance" && line.sender !== after.me;
  const fresh = after.lines.slice(start).filter(isOfOther);
  const isMany = fresh.length > utterancesMax;
  const said = (isMany ? fresh.slice(-1) : fresh).map((line) => plain(utteranceSentence(line, after)));
  return isMany ? [plain(texts.announcements.newUtterances(fresh.length)), ...said] : said;
}

function utteranceSentence(line: UtteranceLine, state: ConversationState): string {
  const nameFor = (speakerUri: string) =>
    speakerUri === state.me ? texts.common.you.object : nameIn(state, speakerUri);
  const name = speakerText(line, nameFor);
  const text = shortened(spokenTextOf(line.dialogEvent), textMax) || texts.announcements.withoutText;
  if (!line.isWhisper) return `${name}: ${text}`;
  return `${texts.announcements.whispers(name, nameFor(line.to ?? state.me))}: ${text}`;
}

/** One sentence for all conversants but the reader, who gets texts of its own. */
function newsOfOthers(
  state: ConversationState,
  speakerUris: readonly string[],
  sentence: (names: readonly string[]) => string,
): Announcement[] {
  const names = speakerUris.filter((speakerUri) => speakerUri !== state.me).map((uri) => nameIn(state, uri));
  return names.length === 0 ? [] : [quiet(sentence(names))];
}

function plain(sentence: string): Announcement {
  return { sentence, tone: "plain" };
}

function quiet(sentence: string): Announcement {
  return { sentence, tone: "quiet" };
}
