import type { ConversantView, Entry } from "@plenary/client";
import { foldUri, textOf } from "@plenary/protocol";
import { validDialogEvent } from "@plenary/transcript";
import { sanitizeLine } from "../../output/sanitize.ts";
import type { ChatSession } from "../session.ts";
import { builtInConvener } from "./known-agents.ts";

const entriesMax = 500;

/** Roles with their own wording. */
const named = ["owner", "convener"];

/** One line per participant: kind, floor, roles, presence, address. */
export function participantsReport({ view, participants, conversation }: ChatSession): string {
  const convener = view.assignedFloorRoles.convener?.[0];
  const about = ({ identification, kind, state, hasFloor, presence }: ConversantView) => {
    const { speakerUri, serviceUrl } = identification;
    const facts = [
      state === "invited" ? "invited" : kind,
      hasFloor ? "has the floor" : "",
      view.floorRequested.includes(speakerUri) ? "asks for the floor" : "",
      speakerUri === convener ? "convenes" : "",
      speakerUri === view.owner ? "owns the conversation" : "",
      ...Object.entries(view.assignedFloorRoles).map(([role, who]) => {
        return !named.includes(role) && who.includes(speakerUri) ? sanitizeLine(role, 40) : "";
      }),
      presence === "away" ? "away" : "",
    ].filter((fact) => fact !== "");
    const where = kind === "agent" ? `  ${sanitizeLine(serviceUrl)}` : "";
    return `${participants.nameOf(speakerUri)}  ${facts.join(", ")}${where}`;
  };
  return [titleOf(view.title, conversation.id), ...view.conversants.map(about)].join("\n");
}

/** The current convener and the chosen one that has not joined yet. */
export function convenerReport({ view, participants, agents }: ChatSession): string {
  const convener = view.assignedFloorRoles.convener?.[0];
  const chosen = view.options?.convener;
  const isThere = ({ identification, state }: ConversantView) =>
    state === "joined" && chosen !== undefined && foldUri(identification.serviceUrl) === foldUri(chosen);
  const isAwaited = chosen !== undefined && !view.conversants.some(isThere);
  const choices = agents.flatMap((agent) => builtInConvener(agent) ?? []);
  return [
    convener === undefined ? "There is no convener." : `${participants.nameOf(convener)} convenes.`,
    ...(isAwaited ? [`${sanitizeLine(chosen)} becomes the convener once it joins.`] : []),
    `To change it: /convener NAME, URL or none${choices.length === 0 ? "" : `; built in: ${choices.join(", ")}`}.`,
  ].join("\n");
}

export function titleOf(title: string | undefined, id: string): string {
  return title === undefined ? sanitizeLine(id) : `${sanitizeLine(title)} (${sanitizeLine(id)})`;
}

export async function logLines(session: ChatSession, count: number): Promise<string> {
  const entries = await newestShown(session, count);
  return entries.map((entry) => logLine(entry, session.participants.nameOf)).join("\n");
}

/** Several entries of an envelope may be hidden from this reader. */
const hiddenMax = 5;

/** The newest visible entries, at most `count`. */
async function newestShown({ conversation, view }: ChatSession, count: number): Promise<Entry[]> {
  const limit = Math.min(hiddenMax * count, entriesMax);
  const entries = await conversation.log({ after: Math.max(view.seq - limit, 0), limit });
  return entries.filter(({ kind }) => kind !== "hidden").slice(-count);
}

function logLine(entry: Entry, nameOf: (speakerUri: string) => string): string {
  const { seq, kind } = entry;
  const [at, because] = ["at" in entry ? entry.at : "", "because" in entry ? (entry.because ?? "") : ""];
  const sender = "sender" in entry ? nameOf(entry.sender) : "";
  const event = "event" in entry ? entry.event : undefined;
  const what = event?.eventType ?? kind;
  const to = "target" in entry && entry.target !== undefined ? `to ${nameOf(entry.target)}` : "";
  const isSaid = entry.kind === "event" && what === "utterance";
  const said = isSaid ? `“${sanitizeLine(textOf(validDialogEvent(entry)), 60)}”` : "";
  const parts = [
    String(seq).padStart(4),
    at.slice(11, 19),
    kind === "refused" ? `refused ${what}` : what,
    sender,
    to,
    said,
  ];
  return [...parts, because && `[${sanitizeLine(because)}]`].filter((part) => part !== "").join("  ");
}

/** One whole entry as JSON; without a number the newest visible one. */
export async function rawEntry(session: ChatSession, number: number | undefined): Promise<string> {
  const { conversation, view } = session;
  const seq = number ?? (await newestShown(session, hiddenMax)).at(-1)?.seq ?? view.seq;
  const [entry] = await conversation.log({ after: seq - 1, limit: 1, view: "whole" });
  if (entry === undefined) throw new Error(`There is no entry ${seq} yet.`);
  return JSON.stringify(entry, null, 2);
}
