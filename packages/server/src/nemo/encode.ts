import {
  completeMessage,
  errorMessage,
  interactionMessage,
  intermediateMessage,
  type Profile,
  responseHead,
  responseMessage,
  responseTail,
  type ServerMessage,
  type Stamp,
  traceMessage,
} from "@plenary/nemo";
import type { NemoOutput } from "./participant.ts";

export type Frames = ReturnType<typeof createFrames>;

/** Longer text is sent at once, also without streaming. */
const wholeMax = 1_048_576;

type Options = { profile: Profile; conversationId: string; now: () => number; newId: () => string };

/** The frames of one conversation on one socket. */
export function createFrames({ profile, conversationId, now, newId }: Options) {
  let isStreaming = true;
  let held = "";
  let [headOf, head] = ["", Buffer.alloc(0)];
  const of = (output: readonly NemoOutput[], parentId: string): ServerMessage[] => {
    const stamp: Stamp = { profile, conversationId, parentId, nowMs: now(), newId };
    const frames: ServerMessage[] = [];
    const flush = () => {
      if (held !== "") frames.push(frameOf({ kind: "delta", text: held }, stamp));
      held = "";
    };
    for (const one of output) {
      if (one.kind === "delta") {
        held += one.text;
        if (isStreaming || held.length > wholeMax) flush();
        continue;
      }
      // Steps are sent at once; all else follows the text before it.
      if (one.kind !== "step") flush();
      frames.push(frameOf(one, stamp));
    }
    return frames;
  };
  return {
    /** Whether text is streamed, or sent in one message. */
    stream(next: boolean): void {
      isStreaming = next;
    },
    of,
    /** As JSON. A single delta, the usual case, is written in parts that viewers share. */
    written(output: readonly NemoOutput[], parentId: string): (string | Buffer[])[] {
      const [only, other] = output;
      const isDelta = only?.kind === "delta" && other === undefined && isStreaming && held === "";
      if (!isDelta) return of(output, parentId).map((frame) => JSON.stringify(frame));
      if (headOf !== parentId || head.length === 0) {
        [headOf, head] = [parentId, Buffer.from(responseHead({ conversationId, parentId, newId }))];
      }
      return [[head, jsonOf(only.text), tailAt(now(), profile)]];
    },
  };
}

let lastText = { text: "", json: Buffer.from('""') };

/** The viewers of a conversation get the same text one after the other, so its JSON is cached. */
function jsonOf(text: string): Buffer {
  if (lastText.text !== text) lastText = { text, json: Buffer.from(JSON.stringify(text)) };
  return lastText.json;
}

const lastTails: Partial<Record<Profile, { nowMs: number; bytes: Buffer }>> = {};

/** Cached: many messages have the same millisecond. */
function tailAt(nowMs: number, profile: Profile): Buffer {
  const last = lastTails[profile];
  if (last?.nowMs === nowMs) return last.bytes;
  const bytes = Buffer.from(responseTail({ profile, nowMs }));
  lastTails[profile] = { nowMs, bytes };
  return bytes;
}

function frameOf(output: NemoOutput, stamp: Stamp): ServerMessage {
  switch (output.kind) {
    case "delta":
      return responseMessage(output.text, stamp);
    case "step":
      return intermediateMessage(output, stamp);
    case "prompt":
      return interactionMessage(output.content, stamp);
    case "error":
      return errorMessage(output.error, stamp);
    case "complete":
      return completeMessage(stamp, output.isFailed);
    case "trace":
      return traceMessage(output.traceId, stamp);
  }
}
