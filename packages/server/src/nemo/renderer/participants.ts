import { foldUri, type Identification } from "@plenary/protocol";
import {
  createKnownPeople,
  lookalikeKey,
  nameIn,
  nameOf,
  oneLine,
  type SeatKind,
  speakerWords,
  type TranscriptEntry,
  type UtteranceLine,
} from "@plenary/transcript";
import type { Conversants } from "../participant.ts";

export type RendererParticipants = ReturnType<typeof createRendererParticipants>;

const nameCharsMax = 100;

/** Full-width forms look the same and are no Markdown. Names that differ only by this already have distinct suffixes. */
const harmless: Readonly<Record<string, string>> = { "*": "＊", "<": "＜", ">": "＞", "`": "｀", "&": "＆" };

/** Markdown marks and character references become plain characters. */
export function withoutMarkdown(text: string, charsMax: number): string {
  return oneLine(text, charsMax)
    .replace(/[*<>`]|&(?=#?[a-z\d]+;)/giu, (mark) => harmless[mark] ?? "")
    .replace(/[\\[\]]/gu, "\\$&");
}

/** The conversants that this person has seen in the conversation. */
export function createRendererParticipants(me: string) {
  const known = createKnownPeople();
  const kinds = new Map<string, SeatKind>();
  const seated = new Set<string>();
  const present = new Set<string>();
  const pendingNames = createPendingNames();
  const currently = (uri: string) => known.all().get(uri)?.speakerUri ?? uri;
  const isSame = (one: string, other: string) =>
    one === other || foldUri(one) === foldUri(other) || foldUri(currently(one)) === foldUri(currently(other));
  // Each piece of a draft checks the same speaker.
  let lastChecked: { uri: string; isMe: boolean } | undefined;
  const isMe = (uri: string) => {
    if (lastChecked?.uri !== uri) lastChecked = { uri, isMe: isSame(uri, me) };
    return lastChecked.isMe;
  };
  const addConversant = ({ identification, kind, state }: Conversants[number]) => {
    kinds.set(foldUri(identification.speakerUri), kind);
    if (state !== "joined") return;
    seated.add(identification.speakerUri);
    present.add(identification.speakerUri);
  };
  /** One line without Markdown marks. */
  const nameFor = (uri: string) => withoutMarkdown(nameIn({ identifications: known.all(), me }, uri), nameCharsMax);
  return {
    readEntry(entry: TranscriptEntry): void {
      lastChecked = undefined;
      if (entry.kind === "renamed") {
        known.hear(entry.identification, entry.from);
        const kind = kinds.get(foldUri(entry.from));
        if (kind !== undefined) kinds.set(foldUri(entry.identification.speakerUri), kind);
        pendingNames.expect(entry.identification, kind, entry.at);
      }
      const gone = leaverIn(entry);
      if (gone !== undefined) for (const uri of present) if (isSame(uri, gone)) present.delete(uri);
      const participant = entry.kind === "seated" ? entry.seat : entry.kind === "opened" ? entry.owner : undefined;
      if (participant === undefined) return;
      known.hear(participant.identification);
      addConversant(participant);
      if (entry.kind === "seated") pendingNames.expect(participant.identification, participant.kind, entry.at);
    },
    addConversants(conversants: Conversants): void {
      lastChecked = undefined;
      known.look(conversants.map(({ identification }) => identification));
      conversants.forEach(addConversant);
      for (const { identification } of conversants) pendingNames.named(identification);
    },
    nameFor,
    speakerWords: (line: Pick<UtteranceLine, "sender" | "relayedFrom">) => speakerWords(line, nameFor),
    /** Whether another conversant than this one has that name. */
    isNameOfOther(name: string, uri: string): boolean {
      const key = lookalikeKey(name);
      const others = [...known.all().keys()].filter((other) => !isSame(other, uri));
      return key === "you" || others.some((other) => lookalikeKey(nameFor(other)) === key);
    },
    isMe,
    isSame,
    kindOf: (uri: string) => kinds.get(foldUri(currently(uri))),
    /** Names of the agents that are in the conversation now. */
    agents(): string[] {
      const all = new Set([...present].map(currently).filter((uri) => !isMe(uri)));
      return [...all].filter((uri) => kinds.get(foldUri(uri)) === "agent").map(nameFor);
    },
    /** Until when to wait for the name of this agent: its manifest arrives shortly after it joins. */
    nameDueMs: (uri: string) => pendingNames.dueMs(currently(uri)),
    /** Whether utterances of this speaker need its name: not when it is the only other conversant so far. */
    needsName(uri: string): boolean {
      const others = new Set([...seated].filter((one) => !isMe(one)).map((one) => foldUri(currently(one))));
      return others.size !== 1 || !others.has(foldUri(currently(uri)));
    },
  };
}

function leaverIn(entry: TranscriptEntry): string | undefined {
  if (entry.kind !== "event") return undefined;
  const { eventType } = entry.event;
  if (eventType === "uninvite") return entry.target;
  return eventType === "bye" || eventType === "declineInvite" ? entry.sender : undefined;
}

/** After this time, an agent without a name is named by its address. */
const nameWaitMs = 500;

/** Agents that have just joined and whose manifests, with their names, have not arrived yet. */
function createPendingNames() {
  const pendingNames = new Map<string, number>();
  const named = (identification: Identification) => {
    if (nameOf("", identification) !== "") pendingNames.delete(foldUri(identification.speakerUri));
  };
  return {
    named,
    expect(identification: Identification, kind: SeatKind | undefined, at: string): void {
      const isNameless = kind === "agent" && nameOf("", identification) === "";
      if (isNameless) pendingNames.set(foldUri(identification.speakerUri), Date.parse(at) + nameWaitMs);
      else named(identification);
    },
    dueMs: (speakerUri: string) => pendingNames.get(foldUri(speakerUri)),
  };
}
