import { frameFault } from "@plenary/api";
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

export function readFrame(frame: Record<string, unknown>, { isAgent }: { isAgent: boolean }): ClientFrame {
  if (isAgent && Object.hasOwn(frame, "draft")) return readDraft(frame);
  const isAnswer = isAgent && frame.inReplyTo !== undefined;
  assertFrame(isAnswer ? "answer" : "envelope", frame);
  const { id, inReplyTo, baggage, openFloor = frame.ovon } = frame as SentFrame;
  if (openFloor === undefined) throw frameProblem("", "the frame contains no envelope: `openFloor` is missing");
  if (isAnswer) {
    const conversation = isRecord(openFloor) && isRecord(openFloor.conversation) ? openFloor.conversation : {};
    const conversationId = typeof conversation.id === "string" ? conversation.id : undefined;
    return { kind: "answer", inReplyTo, ...(id && { id }), ...(conversationId && { conversationId }) };
  }
  return { kind: "envelope", id, ...(baggage !== undefined && { baggage }) };
}

type SentFrame = { id: string; inReplyTo: string; baggage?: string; openFloor?: unknown };
type SentDraft = { inReplyTo: string; dialogEventId: string; delta?: string; to?: unknown; step?: unknown };

function readDraft(frame: Record<string, unknown>): ClientFrame {
  assertFrame("draft", frame);
  const { inReplyTo, dialogEventId, delta, to, step } = frame.draft as SentDraft;
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

function assertFrame(kind: Parameters<typeof frameFault>[0], frame: Record<string, unknown>): void {
  const fault = frameFault(kind, frame);
  if (fault !== undefined) throw frameProblem(fault.pointer, fault.detail, fault.fix);
}
