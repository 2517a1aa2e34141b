import { recordOf, wordsOfValue } from "@plenary/protocol";
import { singleLine } from "../people/display-names.ts";
import type { Identification, ShownEvent, TranscriptEntry } from "../transcript.ts";
import type { NoteLine } from "./line.ts";

type Words = NoteLine["words"];
type NoteContent = Pick<NoteLine, "sign" | "words" | "event" | "offer" | "grants"> & {
  tone?: NoteLine["tone"];
  reason?: string | undefined;
};

const who = (speakerUri: string) => ({ speakerUri });

/** The note for an entry; undefined for entries without a note. */
export function noteOf(entry: TranscriptEntry, self: string | undefined): NoteContent | undefined {
  switch (entry.kind) {
    case "event":
      return eventNote(entry, self);
    case "refused": {
      const { sender, event, problem } = entry;
      return {
        sign: "warning",
        tone: "warning",
        words: [who(sender), ` could not ${verbs[event.eventType]}`],
        reason: wordsOfValue(problem),
        ...(entry.because === "convener/seems-idle" && { offer: "endConvening" }),
      };
    }
    case "role":
      return { sign: "role", words: roleWords(entry) };
    case "chosen": {
      const chosen = wordsOfValue(entry.serviceUrl);
      return chosen === undefined
        ? undefined
        : { sign: "role", words: [`${briefly(chosen)} is to convene once it has joined`] };
    }
    case "titled":
      return { sign: "pen", words: titleWords(wordsOfValue(entry.title), wordsOfValue(entry.by)) };
    case "paused": {
      const by = wordsOfValue(entry.by);
      if (by !== undefined) return { sign: "pause", tone: "warning", words: [who(by), " pressed Stop"] };
      return { sign: "pause", tone: "warning", words: ["The agents were paused"], reason: whyPaused(entry.because) };
    }
    case "resumed":
      return { sign: "pause", words: resumedWords(wordsOfValue(entry.by)) };
    case "missed":
      return {
        sign: "warning",
        tone: "warning",
        words: [who(entry.speakerUri), ` ${wordsOfValue(entry.detail) ?? failures[entry.failure] ?? "did not answer"}`],
      };
    case "silent":
      return silenceNote(entry.speakerUri);
    case "rebound":
      return { sign: "card", words: [who(entry.speakerUri), ` is now expected at ${entry.serviceUrl}`] };
    case "dismissed":
      return { sign: "card", words: [who(entry.speakerUri), ` may not answer from ${entry.serviceUrl}`] };
    case "revealed":
      return { sign: "door", words: [who(entry.speakerUri), " may read what was said before"] };
    case "erased":
      return { sign: "pen", words: ["What was said in an earlier line was erased"] };
    case "closed":
      return { sign: "door", words: ["The conversation was closed"] };
    case "hidden":
      return entry.whisper && { sign: "whisper", words: whisperWords(entry.whisper) };
    case "opened":
      return entry.owner && arrival(entry.owner, " opened the conversation");
    case "seated":
      // An identified conversant, or one that expects a role, was here already.
      if (entry.seat.state !== "joined" || /^(?:command\/identify|1\.12\/expected-role)/u.test(entry.because ?? "")) {
        return undefined;
      }
      return arrival(entry.seat, entry.seat.kind === "agent" ? " joined" : " came in");
    case "received":
    case "parked":
    case "unparked":
    case "renamed":
    case "late":
    case "held":
    case "forwarded":
      return undefined;
  }
}

function arrival({ identification }: { identification: Identification }, words: string): NoteContent {
  return { sign: "door", words: [who(identification.speakerUri), words] };
}

function resumedWords(by: string | undefined): Words {
  return by === undefined ? ["The agents go on"] : [who(by), " let the agents go on"];
}

function silenceNote(speakerUri: string): NoteContent {
  const words = [who(speakerUri), " did not answer twice. Some agents speak only after they are given the floor"];
  return { sign: "floor", tone: "warning", words, grants: speakerUri };
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

/** Verbs that follow "could not". */
const verbs: Readonly<Record<string, string>> = {
  utterance: "be heard",
  invite: "invite",
  uninvite: "remove a conversant",
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

function eventNote(
  { event, sender, target, because, isNotice }: ShownEvent,
  self: string | undefined,
): NoteContent | undefined {
  const reason = wordsOfValue(event.reason);
  const other: Words = target === undefined ? ["a conversant"] : [who(target)];
  // Events of the floor itself are shown without a sender.
  const isFloors = sender === self;
  switch (event.eventType) {
    case "utterance":
    case "acceptInvite":
      return undefined;
    case "invite":
      return { sign: "door", words: [who(sender), " invited ", ...other], reason };
    case "declineInvite": {
      const isOnBehalf = because === "1.15/on-its-behalf";
      const why = isOnBehalf && ` did not come: it ${plainReason(reason) || "could not be reached"}`;
      const words = [who(target ?? sender), why || " declined the invitation"];
      return { sign: "door", tone: "warning", words, reason: isOnBehalf ? undefined : reason };
    }
    case "bye":
      return { sign: "door", words: [who(sender), " left"], reason };
    case "uninvite":
      if (isFloors) return { sign: "door", tone: "warning", words: [...other, " was removed"], reason };
      return { sign: "door", words: [who(sender), " removed ", ...other], reason };
    case "getManifests": {
      const asked: Words = target === undefined ? [" asked who can help"] : [" asked ", ...other, " what it can do"];
      return { sign: "card", words: [who(sender), ...asked], reason };
    }
    case "publishManifests":
      return { sign: "card", words: [who(sender), manifestWords(event.parameters)], reason, event };
    case "requestFloor":
      return { sign: "hand", words: [who(sender), " asked for the floor"], reason };
    case "grantFloor":
      // The line before names the new convener.
      if (because === "convener/told") return undefined;
      // It had the floor already.
      if (because === "2.1/granted-on-joining") return undefined;
      if (isFloors) return { sign: "floor", words: [...other, " has the floor"], reason };
      return { sign: "floor", words: [who(sender), " gave the floor to ", ...other], reason };
    case "revokeFloor":
      if (isNotice)
        return { sign: "floor", tone: "warning", words: [...other, " spoke without the floor and was not heard"] };
      if (isFloors) return { sign: "floor", words: [...other, " lost the floor"], reason };
      return { sign: "floor", words: [who(sender), " took the floor from ", ...other], reason };
    case "yieldFloor":
      return { sign: "floor", words: [who(sender), " yielded the floor"], reason };
  }
}

/** The last part of an address distinguishes agents of one server. */
function briefly(serviceUrl: string): string {
  return /\/([\w.-]+)\/?$/u.exec(serviceUrl)?.[1] ?? serviceUrl;
}

/** The reason without its @tokens. */
function plainReason(reason = ""): string {
  return reason.replace(/@[a-zA-Z0-9_]+/gu, "").trim();
}

function manifestWords(parameters: unknown): string {
  const { servicingManifests, discoveryManifests } = recordOf(parameters);
  const names = [servicingManifests, discoveryManifests]
    .flatMap((manifests): unknown[] => (Array.isArray(manifests) ? manifests : []))
    .map((manifest) => recordOf(recordOf(manifest).identification).conversationalName)
    .map((name) => singleLine(wordsOfValue(name) ?? ""))
    .filter((name) => name !== "");
  if (names.length === 0) return " knows nobody for that";
  const shown = names.slice(0, 5).join(", ");
  return ` showed the manifest of ${shown}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;
}

function roleWords({ role: named, speakerUri, isRemoved }: TranscriptEntry & { kind: "role" }): Words {
  const role = singleLine(named);
  if (speakerUri === undefined)
    return [role === "convener" ? "Nobody convenes any more" : `Nobody is ${role} any more`];
  if (isRemoved === true) return [who(speakerUri), ` is ${role} no longer`];
  return role === "convener" ? [who(speakerUri), " convenes now"] : [who(speakerUri), ` is ${role} now`];
}

/** Why the agents were paused, as shown to people. */
export function whyPaused(because: string | undefined): string | undefined {
  switch (because) {
    case "loop/depth":
      return "answers to answers went on too long";
    case "loop/agent-events":
      return "the agents said more in one turn than is allowed";
    case "loop/same-text":
      return "one of them said the same thing again and again";
    default:
      return because?.startsWith("command/pause") ? "a person pressed Stop" : undefined;
  }
}
