import type { DeliveringContext } from "../context.ts";
import type { Clock } from "../ports/clock.ts";
import type { NemoOutput, OutputSink } from "./participant.ts";
import type { Renderer } from "./renderer/renderer.ts";

export type OfflineBuffer = ReturnType<typeof createOfflineBuffer>;

type BufferOptions = { server: DeliveringContext; conversationId: string; speakerUri: string; renderer: Renderer };

const bufferedCharsMax = 65_536;

/**
 * Output while no client of a person listens. Beyond the limit, drafts are no longer collected: the log has their
 * finished utterances.
 */
export function createOfflineBuffer({ server, conversationId, speakerUri, renderer }: BufferOptions) {
  let kept: NemoOutput[] = [];
  let chars = 0;
  let stop = nothing;
  const add = (output: readonly NemoOutput[]) => {
    if (output.length === 0 || chars > bufferedCharsMax) return;
    kept.push(...output);
    chars += JSON.stringify(output).length;
  };
  return {
    add,
    /** Collects drafts, which are not in the log. */
    begin(): void {
      stop = server.onDraft(conversationId, (draft, audience) => {
        if (!audience.includes(speakerUri)) return;
        add(renderer.draft(draft));
        if (chars > bufferedCharsMax) stop();
      });
    },
    /** Returns the output. */
    end(): NemoOutput[] {
      stop();
      const output = kept;
      [kept, chars, stop] = [[], 0, nothing];
      return output;
    },
  };
}

function nothing(): void {}

type LostOutput = { output: readonly NemoOutput[]; parentId: string };

/** Beyond this, the oldest output is dropped. */
const charsMax = 262_144;
const pieceChars = 4_096;
/** A budget of pings, refilled at this interval: a ping costs as much as a piece of output. */
const pingsMax = 20;
const pingEveryMs = 3_000;

type OutputPiece = { output: NemoOutput[]; parentId: string; chars: number };

/** Output that was sent to a client and not confirmed by a pong. A class, because every delta of every viewer uses it. */
export class UnackedOutput {
  readonly #clock: Clock;
  #kept: OutputPiece[] = [];
  /** Following output is added to this piece: deltas are many and short. */
  #open: OutputPiece | undefined;
  #first = 0;
  #chars = 0;
  #round = 0;
  #isPinging = false;
  #pingsLeft = pingsMax;
  #sinceMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sinceMs = clock.now();
  }

  add(sink: OutputSink, output: readonly NemoOutput[], parentId: string): void {
    if (sink.onceReached === undefined) return;
    this.#keep(output, parentId);
    const isDue = output.some(({ kind }) => kind === "complete" || kind === "prompt");
    if (isDue || (!this.#isPinging && this.#mayPing())) this.ask(sink);
  }

  /** Pings the client; its pong confirms all output so far. */
  ask(sink: OutputSink): void {
    [this.#open, this.#isPinging] = [undefined, true];
    const [upTo, round] = [this.#first + this.#kept.length, this.#round];
    sink.onceReached?.(() => {
      if (round !== this.#round) return;
      this.#isPinging = false;
      if (upTo > this.#first) this.#drop(upTo - this.#first);
    });
  }

  /** Returns the unconfirmed output, in order, and forgets it. */
  end(): LostOutput[] {
    const lost = this.#kept;
    [this.#kept, this.#open, this.#chars, this.#first] = [[], undefined, 0, 0];
    this.#isPinging = false;
    this.#round += 1;
    return lost;
  }

  #keep(output: readonly NemoOutput[], parentId: string): void {
    const size = sizeOf(output);
    this.#chars += size;
    const open = this.#open;
    if (open?.parentId === parentId && open.chars < pieceChars) {
      addTo(open, output);
      open.chars += size;
      return;
    }
    this.#open = { output: [...output], parentId, chars: size };
    this.#kept.push(this.#open);
    while (this.#chars > charsMax && this.#kept.length > 1) this.#drop(1);
  }

  #drop(count: number): void {
    for (const piece of this.#kept.splice(0, count)) {
      this.#first += 1;
      this.#chars -= piece.chars;
    }
  }

  #mayPing(): boolean {
    const nowMs = this.#clock.now();
    const more = Math.floor((nowMs - this.#sinceMs) / pingEveryMs);
    if (more > 0) [this.#pingsLeft, this.#sinceMs] = [Math.min(pingsMax, this.#pingsLeft + more), nowMs];
    if (this.#pingsLeft === 0) return false;
    this.#pingsLeft -= 1;
    return true;
  }
}

function addTo({ output: all }: OutputPiece, output: readonly NemoOutput[]): void {
  for (const one of output) {
    const last = all.at(-1);
    if (one.kind === "delta" && last?.kind === "delta")
      all[all.length - 1] = { kind: "delta", text: last.text + one.text };
    else all.push(one);
  }
}

function sizeOf(output: readonly NemoOutput[]): number {
  let size = 0;
  for (const one of output) size += one.kind === "delta" ? one.text.length : JSON.stringify(one).length;
  return size;
}

/**
 * The part of the lost output for the next client. Prompts are left out, because the open question is sent again anyway.
 * Other kinds than text are sent only for the turn that the client waits for: the end of an earlier turn would end the
 * current one. `awaited`: the message whose turn is over, if the client still waits for it.
 */
export function wantedOf(lost: readonly LostOutput[], awaited: string | undefined): LostOutput[] {
  return lost
    .map(({ output, parentId }) => {
      const isWanted = ({ kind }: NemoOutput) => kind === "delta" || (kind !== "prompt" && awaited === parentId);
      return { output: output.filter(isWanted), parentId };
    })
    .filter(({ output }) => output.length > 0);
}
