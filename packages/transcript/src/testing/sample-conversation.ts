// The log of a short conversation, for the export tests.
import type { Transcript, TranscriptEntry } from "../transcript.ts";

export const ann = "tag:ann.example,2026:1";
export const echo = "tag:echo.example,2026:1";
const owl = "tag:owl.example,2026:1";
const floor = "tag:floor.example,2026:plenary";

type BareEntry = Record<string, unknown> & { kind: string };

function seat(speakerUri: string, conversationalName: string, kind: "person" | "agent") {
  const serviceUrl = "https://x.example/";
  const identification = { speakerUri, serviceUrl, organization: "", conversationalName, synopsis: "" };
  return { identification, kind, state: "joined" as const };
}

export function says(
  sender: string,
  words: string,
  { to, isPrivate = false, features = {} }: SaysOptions = {},
): BareEntry {
  const addressee = to === undefined ? {} : { to: { speakerUri: to, ...(isPrivate && { private: true }) } };
  const dialogEvent = {
    id: "de:1",
    speakerUri: sender,
    span: { startTime: "2026-11-16T10:00:00Z" },
    features: { text: { mimeType: "text/plain", tokens: [{ value: words }] }, ...features },
  };
  return {
    kind: "event",
    sender,
    ...(to !== undefined && { target: to }),
    because: "2.2/utterance/granted/no-convener",
    event: { eventType: "utterance", ...addressee, parameters: { dialogEvent } },
  };
}

type SaysOptions = { to?: string; isPrivate?: boolean; features?: Record<string, unknown> };

export const moves = (sender: string, eventType: string, target: string, reason?: string): BareEntry => ({
  kind: "event",
  sender,
  target,
  event: { eventType, to: { speakerUri: target }, ...(reason !== undefined && { reason }) },
});

export const comes = (speakerUri: string, name: string) => ({
  kind: "seated",
  seat: seat(speakerUri, name, "agent"),
  isGranted: true,
  because: "1.12/accepted",
});

/** A transcript opened by Ann, with these entries, one minute apart. */
export function transcriptOf(
  bare: readonly BareEntry[],
  about: Partial<Transcript> & { owner?: string } = {},
): Transcript {
  const { owner = "Ann", ...rest } = about;
  const opened = { kind: "opened", self: { speakerUri: floor }, owner: seat(ann, owner, "person") };
  const entries = [opened, ...bare].map((one, index) => {
    return { seq: index + 1, at: `2026-11-16T10:${String(index).padStart(2, "0")}:00.000Z`, ...one } as TranscriptEntry;
  });
  return { id: "c1", title: "Birds", readAs: ann, conversants: [], entries, ...rest };
}

export const birds: Transcript = transcriptOf([
  comes(echo, "Echo"),
  comes(owl, "Owl"),
  says(ann, "Which bird is this?"),
  says(echo, "Which bird is this?\n\n- a **kestrel**\n- or not", { to: ann }),
  says(ann, "Do you like owls?", { to: echo, isPrivate: true }),
  moves(ann, "revokeFloor", owl, "@override hush"),
  { kind: "event", sender: owl, event: { eventType: "requestFloor" } },
  moves(ann, "grantFloor", owl),
  says(owl, "Hoo."),
  moves(owl, "bye", owl),
]);
