import { type Entry, type Facts, type Floor, type LapsedQuestion, openDelivery, seatOf } from "@plenary/floor";
import { type DialogEvent, type Envelope, type FloorEvent, isPrivate, isSameAddress } from "@plenary/protocol";
import { createQuestions, lineOf, questionIn, type TranscriptEntry } from "@plenary/transcript";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { Binding, Lookups } from "../ports/lookups.ts";
import type { MaybePromise } from "../ports/maybe-promise.ts";
import { repetitionsIn, utterancesIn } from "./dedupe.ts";
import { type BindingContext, boundAddresses } from "./speaker-bindings.ts";
import { currentName } from "./visibility.ts";
import { hasSameText, spokenIn } from "./whisper-match.ts";

export type FactsContext = BindingContext & {
  log: Pick<ConversationLog, "entries">;
  lookups: Lookups;
  /** Whether this claim comes from an agent of this machine that restarted on another port. */
  isMove?: (claim: Binding, boundTo: string) => boolean;
};

/**
 * Facts the core cannot know: which utterances are repeated, which names are bound to another address, and which history an
 * invitee may not see. Almost always they are at hand.
 */
export function lookUp(
  context: FactsContext,
  floor: Floor,
  envelope: Envelope,
  delivery?: string,
): MaybePromise<Facts> {
  const utterances = utterancesIn(floor, envelope);
  const claims = claimsIn(floor, envelope, delivery);
  const known = utterances.length === 0 ? noneKnown : context.lookups.seen(floor.id, utterances);
  if (known instanceof Promise || claims.length > 0 || envelope.events.some(hasHistory)) {
    return lookUpAll(context, floor, envelope, { utterances, claims, known });
  }
  return repetitionsIn(utterances, known);
}

const noneKnown: readonly (readonly string[])[] = [];

type Searched = {
  utterances: Parameters<typeof repetitionsIn>[0];
  claims: readonly Binding[];
  known: MaybePromise<readonly (readonly string[])[]>;
};

async function lookUpAll(
  context: FactsContext,
  floor: Floor,
  { events }: Envelope,
  { utterances, claims, known }: Searched,
): Promise<Facts> {
  return {
    ...repetitionsIn(utterances, await known),
    ...(claims.length > 0 && (await addressChanges(context, claims))),
    ...(await whispersIn(context.lookups, floor, events)),
  };
}

function hasHistory(event: FloorEvent): boolean {
  return event.eventType === "invite" && event.parameters?.dialogHistory !== undefined;
}

/** Pairs of speaker and address that an invite, or the answer to one, claims. */
function claimsIn(floor: Floor, { sender, events }: Envelope, delivery: string | undefined): readonly Binding[] {
  const claims: Binding[] = [];
  for (const { eventType, to } of events) {
    if (eventType !== "invite" || to?.speakerUri === undefined || to.serviceUrl === undefined) continue;
    claims.push({ speakerUri: to.speakerUri, serviceUrl: to.serviceUrl });
  }
  const open = delivery === undefined ? undefined : openDelivery(floor, delivery);
  const seat = seatOf(floor, open?.to ?? sender.speakerUri);
  if (seat?.state !== "invited") return claims;
  const { speakerUri, serviceUrl } = seat.identification;
  return [...claims, { speakerUri: sender.speakerUri, serviceUrl }, { speakerUri, serviceUrl }];
}

/** Speakers that joined from another address before, in any conversation of this floor. */
async function addressChanges(
  context: FactsContext,
  claims: readonly Binding[],
): Promise<Pick<Facts, "boundElsewhere" | "moved">> {
  const { lookups, isMove = () => false } = context;
  const bound = await boundAddresses(lookups, claims, context);
  const boundElsewhere: string[] = [];
  const moved: string[] = [];
  for (const [index, claim] of claims.entries()) {
    const before = bound[index];
    if (before === undefined || isSameAddress(before, claim.serviceUrl)) continue;
    (isMove(claim, before) ? moved : boundElsewhere).push(claim.speakerUri);
  }
  return { boundElsewhere, moved };
}

/** D16: history entries that are whispers in the log: all of them, and those the invitee took no part in. */
async function whispersIn(
  lookups: Lookups,
  floor: Floor,
  events: readonly FloorEvent[],
): Promise<Pick<Facts, "withheld" | "whispered">> {
  const withheld: string[] = [];
  const whispered: string[] = [];
  for (const event of events) {
    if (event.eventType !== "invite") continue;
    const history = event.parameters?.dialogHistory ?? [];
    if (history.length === 0) continue;
    const found = await lookups.whispersLike(floor.id, history);
    const idsHiddenFrom = (names: readonly string[]) =>
      history.filter((dialogEvent) => isSecret(dialogEvent, found, names)).map(({ id }) => id);
    withheld.push(...idsHiddenFrom(namesOf(floor, event)));
    whispered.push(...idsHiddenFrom([]));
  }
  return { ...(withheld.length > 0 && { withheld }), ...(whispered.length > 0 && { whispered }) };
}

function namesOf(floor: Floor, { to }: FloorEvent): string[] {
  const given = [to?.speakerUri, to?.serviceUrl].filter((name) => name !== undefined);
  return given.flatMap((name) => [name, currentName(floor, name)]);
}

function isSecret(dialogEvent: DialogEvent, found: readonly Entry[], names: readonly string[]): boolean {
  const sameId = found.filter((entry) => spokenIn(entry)?.id === dialogEvent.id);
  const matches = sameId.length > 0 ? sameId : found.filter((entry) => hasSameText(spokenIn(entry), dialogEvent));
  return matches.length > 0 && matches.every((entry) => !mayRead(entry, names));
}

function mayRead(entry: Entry, names: readonly string[]): boolean {
  if (entry.kind === "event" && !isPrivate(entry.event)) return true;
  return names.some((name) => entry.audience.includes(name));
}

const entriesMax = 10_000;

/** The question of this entry, unless it was answered or its agent withdrew it (D31). */
export async function unansweredQuestion(
  log: Pick<ConversationLog, "entries">,
  floor: Floor,
  seq: number,
): Promise<LapsedQuestion | undefined> {
  const entries = await log.entries(floor.id, { after: seq - 1, limit: entriesMax });
  const [questionEntry] = entries;
  const question = questionEntry && questionOf(questionEntry);
  if (questionEntry?.kind !== "event" || question === undefined) return undefined;
  const { to, id, sender, isWhisper } = question;
  // Any person may answer a question to everyone, so one person represents all.
  const person = floor.conversants.find(({ kind }) => kind === "person")?.identification.speakerUri;
  const kindOf = (speakerUri: string) => seatOf(floor, speakerUri)?.kind;
  const questions = createQuestions(to ?? person ?? "", { kindOf });
  for (const entry of entries) {
    const line = lineOf(entry as TranscriptEntry, floor.self.speakerUri);
    if (line?.kind === "utterance") questions.take(line);
  }
  const newest = questions.open().find((one) => one.id === id && one.sender === sender);
  // The agent repeated the question, and the newer one has its own timer.
  if (newest === undefined || newest.untilMs !== question.untilMs) return undefined;
  const { turn, depth } = questionEntry;
  return { seq, id, sender, turn, depth, ...(isWhisper && to !== undefined && { whisperer: to }) };
}

function questionOf(entry: Entry) {
  const line = lineOf(entry as TranscriptEntry, undefined);
  return line?.kind === "utterance" ? questionIn(line) : undefined;
}
