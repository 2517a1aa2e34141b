import { type DraftStep, isRecord, readDraftStep, readEventStream } from "@plenary/protocol";
import type { DialResponse } from "../../ports/dialler.ts";
import type { MaybePromise } from "../../ports/maybe-promise.ts";
import type { DraftPiece } from "../../ports/outbound.ts";

/** The text of the envelope in a response body or event stream; undefined when there is none. */
export async function readBody(
  response: DialResponse,
  { bytesMax, onDraft }: ReadOptions,
): Promise<string | undefined> {
  if ((response.headers.get("content-encoding") ?? "identity") !== "identity") return undefined;
  try {
    if (response.whole !== undefined && !isStream(response)) return await textIn(response.whole, { bytesMax, onDraft });
    const pieces = decoded(response.body, bytesMax);
    if (isStream(response)) return await envelopeIn(pieces, onDraft);
    let text = "";
    for await (const piece of pieces) text += piece;
    return looksLikeStream(text) ? await envelopeIn([text], onDraft) : text;
  } catch (error) {
    if (error instanceof TooLargeError || error instanceof TypeError) return undefined;
    throw error;
  }
}

type ReadOptions = { bytesMax: number; onDraft: (piece: DraftPiece) => void };

const wholeDecoder = new TextDecoder("utf-8", { fatal: true });

/** The same for a body that is at hand. */
function textIn(whole: Uint8Array, { bytesMax, onDraft }: ReadOptions): MaybePromise<string | undefined> {
  if (whole.byteLength > bytesMax) return undefined;
  const text = wholeDecoder.decode(whole);
  return looksLikeStream(text) ? envelopeIn([text], onDraft) : text;
}

/** The content type is not trusted: a body that looks like an event stream is read as one. */
function looksLikeStream(text: string): boolean {
  return /^(?:event|data|id|retry)?:/u.test(text);
}

/** By its content type. */
export function isStream({ headers }: Pick<DialResponse, "headers">): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

class TooLargeError extends Error {
  override readonly name = "TooLargeError";
}

/** Throws TypeError on invalid UTF-8. */
async function* decoded(body: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new TooLargeError(`the answer has more than ${bytesMax} bytes`);
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
}

/** D30, D43: `start` names the utterance, `delta` has text, `step` a step of the agent, `envelope` the answer. */
async function envelopeIn(
  pieces: AsyncIterable<string> | Iterable<string>,
  onDraft: (piece: DraftPiece) => void,
): Promise<string | undefined> {
  let dialogEventId: string | undefined;
  for await (const { event, data } of readEventStream(pieces)) {
    if (event === "envelope" || event === "message") return data;
    if (event === "start") {
      const start = startOf(data);
      dialogEventId = start?.dialogEventId;
      if (start !== undefined) onDraft(start);
    } else if (event === "delta" && dialogEventId !== undefined) {
      onDraft({ dialogEventId, delta: deltaOf(data) });
    } else if (event === "step" && dialogEventId !== undefined) {
      const step = stepOf(data);
      if (step !== undefined) onDraft({ dialogEventId, step });
    }
  }
  return undefined;
}

function startOf(data: string): DraftPiece | undefined {
  const start = jsonOf(data);
  if (!isRecord(start) || typeof start.dialogEventId !== "string") return undefined;
  const { dialogEventId, to } = start;
  if (to === undefined) return { dialogEventId };
  if (!isRecord(to)) return undefined;
  return { dialogEventId, to: addresseeIn(to) };
}

export function addresseeIn({ speakerUri, serviceUrl, private: isPrivate }: Record<string, unknown>) {
  return {
    ...(typeof speakerUri === "string" && { speakerUri }),
    ...(typeof serviceUrl === "string" && { serviceUrl }),
    // An unreadable flag must not make a whisper public.
    ...(isPrivate !== undefined && { private: isPrivate !== false }),
  };
}

/** The text as a JSON string, as `{"delta": "..."}`, or bare. */
function deltaOf(data: string): string {
  const delta = jsonOf(data);
  if (typeof delta === "string") return delta;
  return isRecord(delta) && typeof delta.delta === "string" ? delta.delta : data;
}

/** As `{"step": {...}}`, or bare. Undefined when it is invalid. */
function stepOf(data: string): DraftStep | undefined {
  const value = jsonOf(data);
  return readDraftStep(isRecord(value) && Object.hasOwn(value, "step") ? value.step : value).step;
}

function jsonOf(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
