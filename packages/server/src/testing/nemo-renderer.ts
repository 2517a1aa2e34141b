import type { PromptContent } from "@plenary/nemo";
import type { DraftStep } from "@plenary/protocol";
import type { TranscriptEntry } from "@plenary/transcript";
import type { Draft } from "../delivery/drafts.ts";
import type { NemoOutput } from "../nemo/participant.ts";
import { Renderer } from "../nemo/renderer/renderer.ts";

export const me = "tag:me";
export const owl = "tag:owl";
export const fox = "tag:fox";
export const startMs = Date.parse("2026-11-16T10:00:00Z");
const at = "2026-11-16T10:00:00Z";

type UtteranceOptions = {
  to?: string;
  isPrivate?: boolean;
  id?: string;
  features?: object;
  by?: string;
  turn?: string;
};

type FixtureOptions = { after?: number; hasAllPrompts?: boolean; conversation?: string };

type DraftOptions = Partial<Draft> & { steps?: readonly DraftStep[] };

/** A renderer for one person, and the log that it reads. Every method returns the output that it causes. */
export class RendererFixture {
  readonly renderer;
  /** All output, in order. */
  readonly output: NemoOutput[] = [];
  nowMs = startMs;
  readonly #drafted = new Map<string, number>();
  #seq = 0;

  constructor({ after = 0, hasAllPrompts = true, conversation = "c" }: FixtureOptions = {}) {
    this.renderer = new Renderer({ me, conversation, clientFeatures: { hasAllPrompts }, after });
    this.log({ kind: "opened", self: { speakerUri: "tag:floor" }, owner: participant(me, "Me", "person") });
  }

  log(entry: object): NemoOutput[] {
    this.#seq += 1;
    // Viewers share the entry: a renderer that changes it throws.
    const shared = frozen({ seq: this.#seq, at, because: "", ...structuredClone(entry) });
    return this.keep(this.renderer.entry(shared as unknown as TranscriptEntry, this.nowMs));
  }

  joins(speakerUri: string, name: string, kind: "agent" | "person" = "agent"): NemoOutput[] {
    return this.log({ kind: "seated", seat: participant(speakerUri, name, kind) });
  }

  says(
    sender: string,
    text: string,
    { to, isPrivate, id, features, by = sender, turn }: UtteranceOptions = {},
  ): NemoOutput[] {
    const dialogEvent = {
      id: id ?? `d${this.#seq + 1}`,
      speakerUri: by,
      span: { startTime: at },
      features: { text: { mimeType: "text/plain", tokens: [{ value: text }] }, ...features },
    };
    const addressee = to === undefined ? {} : { to: { speakerUri: to, ...(isPrivate && { private: true }) } };
    const event = { eventType: "utterance", ...addressee, parameters: { dialogEvent } };
    return this.log({ kind: "event", sender, event, ...(to && { target: to }), ...(turn && { turn }) });
  }

  asks(sender: string, value: object, options: UtteranceOptions = {}): NemoOutput[] {
    const interaction = { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value }] };
    return this.says(sender, "(asked in words)", { to: me, ...options, features: { interaction } });
  }

  event(
    eventType: string,
    sender: string,
    more: { reason?: string; target?: string; turn?: string } = {},
  ): NemoOutput[] {
    const { reason, ...rest } = more;
    return this.log({ kind: "event", sender, event: { eventType, ...(reason && { reason }) }, ...rest });
  }

  /** Each piece follows the one before, unless `offset` is given. Each step is a separate piece. */
  drafts(speakerUri: string, dialogEventId: string, { steps = [], ...rest }: DraftOptions): NemoOutput[] {
    const about = { conversation: "c", speakerUri, dialogEventId, ...(rest.to && { to: rest.to }) };
    const output = steps.flatMap((step) => this.keep(this.renderer.draft({ ...about, step })));
    if (steps.length > 0 && rest.delta === undefined && rest.end === undefined) return output;
    const key = `${speakerUri} ${dialogEventId}`;
    const offset = this.#drafted.get(key) ?? 0;
    this.#drafted.set(key, offset + (rest.delta?.length ?? 0));
    return [...output, ...this.keep(this.renderer.draft({ ...about, offset, ...rest }))];
  }

  begins(): NemoOutput[] {
    return this.keep(this.renderer.begin(this.nowMs));
  }

  completes(traceId?: string): NemoOutput[] {
    return this.keep(this.renderer.complete(traceId));
  }

  passes(ms: number): NemoOutput[] {
    this.nowMs += ms;
    return this.keep(this.renderer.tick(this.nowMs));
  }

  keep(output: NemoOutput[]): NemoOutput[] {
    this.output.push(...output);
    return output;
  }
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

function participant(speakerUri: string, conversationalName: string, kind: "agent" | "person") {
  const identification = { speakerUri, serviceUrl: "", organization: "", conversationalName, synopsis: "" };
  return { identification, kind, state: "joined" };
}

export function textIn(output: readonly NemoOutput[]): string {
  return output.map((one) => (one.kind === "delta" ? one.text : "")).join("");
}

export function promptsIn(output: readonly NemoOutput[]): PromptContent[] {
  return output.flatMap((one) => (one.kind === "prompt" ? one.content : []));
}

export function errorsIn(output: readonly NemoOutput[]) {
  return output.flatMap((one) => (one.kind === "error" ? one.error : []));
}

export function stepsIn(output: readonly NemoOutput[]) {
  return output.flatMap((one) => (one.kind === "step" ? one : []));
}
