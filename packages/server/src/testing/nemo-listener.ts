import type { PromptContent } from "@plenary/nemo";
import type { DraftStep } from "@plenary/protocol";
import type { TranscriptEntry } from "@plenary/transcript";
import type { Draft } from "../delivery/drafts.ts";
import type { Told } from "../nemo/output.ts";
import { createNarrator } from "../nemo/renderer/renderer.ts";

export const me = "tag:me";
export const owl = "tag:owl";
export const fox = "tag:fox";
export const startMs = Date.parse("2026-11-16T10:00:00Z");
const at = "2026-11-16T10:00:00Z";

type Saying = { to?: string; isPrivate?: boolean; id?: string; features?: object; by?: string; turn?: string };

type Setting = { after?: number; hasAllPrompts?: boolean; conversation?: string };

/** A person at a client, and the log that it is told of. Every method returns what was told by it. */
type Drafted = Partial<Draft> & { steps?: readonly DraftStep[] };

export class Listener {
  readonly narrator;
  /** All of it, in order. */
  readonly told: Told[] = [];
  nowMs = startMs;
  readonly #drafted = new Map<string, number>();
  #seq = 0;

  constructor({ after = 0, hasAllPrompts = true, conversation = "c" }: Setting = {}) {
    this.narrator = createNarrator({ me, conversation, manner: { hasAllPrompts }, after });
    this.log({ kind: "opened", self: { speakerUri: "tag:floor" }, owner: seat(me, "Me", "person") });
  }

  log(entry: object): Told[] {
    this.#seq += 1;
    return this.keep(
      this.narrator.entry({ seq: this.#seq, at, because: "", ...entry } as unknown as TranscriptEntry, this.nowMs),
    );
  }

  seats(speakerUri: string, name: string, kind: "agent" | "person" = "agent"): Told[] {
    return this.log({ kind: "seated", seat: seat(speakerUri, name, kind) });
  }

  says(sender: string, text: string, { to, isPrivate, id, features, by = sender, turn }: Saying = {}): Told[] {
    const dialogEvent = {
      ...{ id: id ?? `d${this.#seq + 1}`, speakerUri: by, span: { startTime: at } },
      features: { text: { mimeType: "text/plain", tokens: [{ value: text }] }, ...features },
    };
    const whom = to === undefined ? {} : { to: { speakerUri: to, ...(isPrivate && { private: true }) } };
    const event = { eventType: "utterance", ...whom, parameters: { dialogEvent } };
    return this.log({ kind: "event", sender, event, ...(to && { target: to }), ...(turn && { turn }) });
  }

  asks(sender: string, value: object, saying: Saying = {}): Told[] {
    const interaction = { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value }] };
    return this.says(sender, "(asked in words)", { to: me, ...saying, features: { interaction } });
  }

  event(eventType: string, sender: string, more: { reason?: string; target?: string; turn?: string } = {}): Told[] {
    const { reason, ...rest } = more;
    return this.log({ kind: "event", sender, event: { eventType, ...(reason && { reason }) }, ...rest });
  }

  /** Each piece follows the one before, unless it says where it stands. Each step is a piece of its own. */
  drafts(speakerUri: string, dialogEventId: string, { steps = [], ...rest }: Drafted): Told[] {
    const about = { conversation: "c", speakerUri, dialogEventId, ...(rest.to && { to: rest.to }) };
    const told = steps.flatMap((step) => this.keep(this.narrator.draft({ ...about, step })));
    if (steps.length > 0 && rest.delta === undefined && rest.end === undefined) return told;
    const key = `${speakerUri} ${dialogEventId}`;
    const offset = this.#drafted.get(key) ?? 0;
    this.#drafted.set(key, offset + (rest.delta?.length ?? 0));
    return [...told, ...this.keep(this.narrator.draft({ ...about, offset, ...rest }))];
  }

  begins(): Told[] {
    return this.keep(this.narrator.begin(this.nowMs));
  }

  completes(traceId?: string): Told[] {
    return this.keep(this.narrator.complete(traceId));
  }

  passes(ms: number): Told[] {
    this.nowMs += ms;
    return this.keep(this.narrator.tick(this.nowMs));
  }

  keep(told: Told[]): Told[] {
    this.told.push(...told);
    return told;
  }
}

function seat(speakerUri: string, conversationalName: string, kind: "agent" | "person") {
  const identification = { speakerUri, serviceUrl: "", organization: "", conversationalName, synopsis: "" };
  return { identification, kind, state: "joined" };
}

export function textIn(told: readonly Told[]): string {
  return told.map((one) => (one.kind === "delta" ? one.text : "")).join("");
}

export function promptsIn(told: readonly Told[]): PromptContent[] {
  return told.flatMap((one) => (one.kind === "prompt" ? one.content : []));
}

export function errorsIn(told: readonly Told[]) {
  return told.flatMap((one) => (one.kind === "error" ? one.error : []));
}

export function stepsIn(told: readonly Told[]) {
  return told.flatMap((one) => (one.kind === "step" ? one : []));
}
