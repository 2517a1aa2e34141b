import { type DraftStep, isRecord, readDraftStep } from "@plenary/protocol";
import { addresseeIn } from "../../delivery/http/answer-body.ts";
import { Problem } from "../../errors.ts";
import type { DraftPiece } from "../../ports/outbound.ts";

/** A frame of a client. The envelope is decoded from the text of the frame, where repeated keys are detected. */
export type ClientFrame =
  | { kind: "envelope"; id: string; baggage?: string }
  | { kind: "answer"; id?: string; inReplyTo: string; conversationId?: string }
  | { kind: "draft"; inReplyTo: string; piece: DraftPiece };

const idMax = 256;
/** W3C Baggage: the size that every platform must propagate. */
const baggageMax = 8_192;

const advice = 'send {"openFloor":{...},"id":"mine-1"}; see the documentation of /openfloor/ws';

function frameProblem(pointer: string, detail: string, fix = advice): Problem {
  return new Problem("bad-request", { pointer, detail, fix });
}

/** The id that the client gave the frame, if it is valid. */
export function idOf(frame: Record<string, unknown>): string | undefined {
  return isId(frame.id) ? frame.id : undefined;
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= idMax;
}

/** The delivery that a frame answers or that its draft belongs to. */
export function deliveryNamedIn(frame: Record<string, unknown>): { inReplyTo?: string; isDraft: boolean } {
  const isDraft = Object.hasOwn(frame, "draft");
  const { inReplyTo } = isDraft && isRecord(frame.draft) ? frame.draft : frame;
  return { isDraft, ...(isId(inReplyTo) && { inReplyTo }) };
}

const keys = {
  viewer: ["openFloor", "ovon", "id", "baggage"],
  agent: ["openFloor", "ovon", "id", "baggage", "inReplyTo"],
  draft: ["inReplyTo", "dialogEventId", "delta", "to", "step"],
};

export function readFrame(frame: Record<string, unknown>, { isAgent }: { isAgent: boolean }): ClientFrame {
  if (isAgent && Object.hasOwn(frame, "draft")) return readDraft(frame);
  assertKeys(frame, isAgent ? keys.agent : keys.viewer, "");
  const { id, inReplyTo, openFloor = frame.ovon } = frame;
  if (openFloor === undefined) throw frameProblem("", "the frame contains no envelope: `openFloor` is missing");
  if (id !== undefined && !isId(id)) throw frameProblem("/id", `id is a text of 1 to ${idMax} characters`);
  if (inReplyTo !== undefined) {
    if (!isId(inReplyTo)) throw frameProblem("/inReplyTo", "inReplyTo is the `delivery` that is answered");
    const conversation = isRecord(openFloor) && isRecord(openFloor.conversation) ? openFloor.conversation : {};
    const conversationId = typeof conversation.id === "string" ? conversation.id : undefined;
    return { kind: "answer", inReplyTo, ...(id && { id }), ...(conversationId && { conversationId }) };
  }
  if (id === undefined) throw frameProblem("/id", "id is missing: a frame is acknowledged by its id");
  return { kind: "envelope", id, ...baggageIn(frame) };
}

/** The same as the header `baggage` of `POST /openfloor`. */
function baggageIn({ baggage }: Record<string, unknown>): { baggage?: string } {
  if (baggage === undefined) return {};
  if (typeof baggage === "string" && baggage.length <= baggageMax) return { baggage };
  throw frameProblem("/baggage", `baggage is a text of at most ${baggageMax} characters (W3C Baggage)`);
}

function readDraft(frame: Record<string, unknown>): ClientFrame {
  assertKeys(frame, ["draft", "id"], "");
  const { draft } = frame;
  if (!isRecord(draft)) throw frameProblem("/draft", "a draft is an object");
  assertKeys(draft, keys.draft, "/draft");
  const { inReplyTo, dialogEventId, delta, to, step } = draft;
  if (!isId(inReplyTo)) throw frameProblem("/draft/inReplyTo", "inReplyTo is the `delivery` that is answered");
  if (!isId(dialogEventId))
    throw frameProblem("/draft/dialogEventId", "dialogEventId is the id of the finished utterance");
  if (delta !== undefined && typeof delta !== "string") throw frameProblem("/draft/delta", "delta is text");
  if (to !== undefined && !isRecord(to)) throw frameProblem("/draft/to", "to is an object");
  const piece = {
    dialogEventId,
    ...(to !== undefined && { to: addresseeIn(to) }),
    ...(delta !== undefined && { delta }),
    ...(step !== undefined && { step: stepIn(step) }),
  };
  return { kind: "draft", inReplyTo, piece };
}

function stepIn(value: unknown): DraftStep {
  const { step, fault } = readDraftStep(value);
  if (fault !== undefined) throw frameProblem(`/draft/step${fault.pointer}`, fault.rule, fault.fix);
  return step;
}

function assertKeys(frame: Record<string, unknown>, allowed: readonly string[], at: string): void {
  const unknownKey = Object.keys(frame).find((key) => !allowed.includes(key));
  if (unknownKey === undefined) return;
  const pointer = `${at}/${unknownKey.slice(0, idMax).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  throw frameProblem(pointer, `a frame of this kind has no key ${JSON.stringify(unknownKey.slice(0, idMax))}`);
}
