import type { FloorEvent, Manifest } from "@plenary/protocol";
import { legibleLine } from "./legible.ts";
import type { NoteLine } from "./lines.ts";
import type { Entry, EventEntry } from "./wire.ts";

type Words = NoteLine["words"];
type Told = { words: Words; tone?: NoteLine["tone"]; reason?: string | undefined; details?: readonly string[] };

const who = (speakerUri: string) => ({ speakerUri });

/** What a quiet line says of something that happened, in the words of the page; undefined for what needs no saying. */
export function noteOf(entry: Entry, self: string): Told | undefined {
  switch (entry.kind) {
    case "event":
      return eventNote(entry, self);
    case "refused": {
      const words = [who(entry.sender), ` could not ${verbs[entry.event.eventType] ?? "do that"}`];
      return { tone: "warning", words, reason: wordsIn(entry.problem) };
    }
    case "opened":
      return entry.owner && { words: [who(entry.owner.identification.speakerUri), " opened the conversation"] };
    case "seated":
      return arrival(entry);
    case "role":
      return { words: roleWords(entry.role, entry.speakerUri) };
    case "titled":
      return { words: titleWords(wordsIn(entry.title), entry.by) };
    case "paused":
      if (entry.by !== undefined) return { tone: "warning", words: [who(entry.by), " pressed Stop"] };
      return { tone: "warning", words: ["The agents were paused"], reason: whyPaused(entry.because) };
    case "resumed":
      return { words: entry.by === undefined ? ["The agents go on"] : [who(entry.by), " let the agents go on"] };
    case "missed":
      return { tone: "warning", words: [who(entry.speakerUri), ` ${failures[entry.failure] ?? "did not answer"}`] };
    case "rebound":
      return { words: [who(entry.speakerUri), ` is now expected at ${entry.serviceUrl}`] };
    case "revealed":
      return { words: [who(entry.speakerUri), " may read what was said before"] };
    case "erased":
      return { words: ["What was said in an earlier line was erased"] };
    case "closed":
      return { words: ["The conversation was closed"] };
    case "hidden":
      return entry.whisper && { words: whisperWords(entry.whisper) };
    default:
      return undefined;
  }
}

/** Who is known better than before was here already. */
function arrival({ seat, because }: Extract<Entry, { kind: "seated" }>): Told | undefined {
  if (seat.state !== "joined" || because?.startsWith("command/identify") === true) return undefined;
  return { words: [who(seat.identification.speakerUri), seat.kind === "agent" ? " joined" : " came in"] };
}

function titleWords(title: string | undefined, by: string | undefined): Words {
  if (by === undefined) return [title === undefined ? "The title was taken away" : `The title is now “${title}”`];
  return [who(by), title === undefined ? " took the title away" : ` changed the title to “${title}”`];
}

function whisperWords({ from, to }: { from: string; to?: string }): Words {
  return to === undefined ? [who(from), " whispered"] : [who(from), " whispered to ", who(to)];
}

const failures: Readonly<Record<string, string>> = {
  unreachable: "could not be reached",
  timeout: "did not answer in time",
  "no-envelope": "answered with something that is no envelope",
  refused: "refused what it was sent",
};

/** What somebody wanted, after "could not". */
const verbs: Readonly<Record<string, string>> = {
  utterance: "be heard",
  invite: "invite",
  uninvite: "remove somebody",
  acceptInvite: "accept",
  declineInvite: "decline",
  bye: "leave",
  getManifests: "ask for manifests",
  publishManifests: "show manifests",
  requestFloor: "ask for the floor",
  grantFloor: "give the floor",
  revokeFloor: "take the floor away",
  yieldFloor: "yield the floor",
};

function eventNote({ event, sender, target, because, isNotice }: EventEntry, self: string): Told | undefined {
  const reason = wordsIn(event.reason);
  const other: Words = target === undefined ? ["somebody"] : [who(target)];
  // What the floor does by itself is told without a doer.
  const isFloors = sender === self;
  switch (event.eventType) {
    case "utterance":
    case "acceptInvite":
      return undefined;
    case "invite":
      return { words: [who(sender), " invited ", ...other], reason };
    case "declineInvite": {
      const comer = who(target ?? sender);
      if (because !== "1.15/on-its-behalf") {
        return { tone: "warning", words: [comer, " declined the invitation"], reason };
      }
      return { tone: "warning", words: [comer, ` did not come: it ${plain(reason) || "could not be reached"}`] };
    }
    case "bye":
      return { words: [who(sender), " left"], reason };
    case "uninvite":
      if (isFloors) return { tone: "warning", words: [...other, " was removed"], reason };
      return { words: [who(sender), " removed ", ...other], reason };
    case "getManifests":
      return { words: [who(sender), " asked who can help"], reason };
    case "publishManifests":
      return { words: [who(sender), manifestWords(event)], reason, details: manifestsIn(event).map(manifestDetail) };
    case "requestFloor":
      return { words: [who(sender), " asked for the floor"], reason };
    case "grantFloor":
      return {
        words: isFloors ? [...other, " has the floor"] : [who(sender), " gave the floor to ", ...other],
        reason,
      };
    case "revokeFloor":
      if (isNotice) return { tone: "warning", words: [...other, " spoke without the floor: nobody heard it"] };
      return {
        words: isFloors ? [...other, " lost the floor"] : [who(sender), " took the floor from ", ...other],
        reason,
      };
    case "yieldFloor":
      return { words: [who(sender), " yielded the floor"], reason };
  }
}

const manifestsMax = 10;

function manifestsIn({ parameters }: Extract<FloorEvent, { eventType: "publishManifests" }>): Manifest[] {
  const lists = [parameters?.servicingManifests, parameters?.discoveryManifests];
  const all = lists.flatMap((list): Manifest[] => (Array.isArray(list) ? list : []));
  return all.filter((manifest) => typeof manifest?.identification === "object").slice(0, manifestsMax);
}

function manifestWords(event: Extract<FloorEvent, { eventType: "publishManifests" }>): string {
  const names = manifestsIn(event).map(({ identification }) =>
    legibleLine(String(identification.conversationalName), 40),
  );
  return names.length === 0 ? " knows nobody for that" : ` showed the manifest of ${names.join(", ")}`;
}

/** What it is for, by what words it is found, and where. */
function manifestDetail({ identification, capabilities }: Manifest): string {
  const { synopsis, serviceUrl } = identification;
  const phrases = (Array.isArray(capabilities) ? capabilities : []).flatMap(({ keyphrases }) => keyphrases ?? []);
  return [synopsis, phrases.length > 0 ? `(${phrases.slice(0, 12).join(", ")})` : "", serviceUrl]
    .filter((part) => part)
    .join(" ");
}

function roleWords(role: string, speakerUri: string | undefined): Words {
  const isConvener = role === "convener";
  if (speakerUri === undefined) return [isConvener ? "Nobody convenes any more" : `Nobody is ${role} any more`];
  return [who(speakerUri), isConvener ? " convenes now" : ` is ${role} now`];
}

/** Its words without the tokens that only machines need. */
function plain(reason = ""): string {
  return reason.replace(/@[a-zA-Z0-9_]+/gu, "").trim();
}

function whyPaused(because: string | undefined): string | undefined {
  switch (because) {
    case "loop/depth":
      return "answers to answers went on too long";
    case "loop/agent-events":
      return "the agents said more in one turn than is allowed";
    case "loop/same-text":
      return "one of them said the same thing again and again";
    default:
      return undefined;
  }
}

function wordsIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
