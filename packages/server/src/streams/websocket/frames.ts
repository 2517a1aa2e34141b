import { type DraftStep, isRecord, readDraftStep } from "@plenary/protocol";
import { Problem } from "../../errors.ts";
import type { DraftPiece } from "../../ports/outbound.ts";

/** What a socket may say. The envelope itself is read from the text of the frame, where doubled keys still show. */
export type ClientFrame =
  | { kind: "envelope"; id: string; baggage?: string }
  | { kind: "answer"; id?: string; inReplyTo: string; conversationId?: string }
  | { kind: "draft"; inReplyTo: string; piece: DraftPiece };

const idMax = 256;
/** W3C Baggage: as much as everybody passes on. */
const baggageMax = 8_192;

const advice = 'send {"openFloor":{...},"id":"mine-1"}; see the documentation of /openfloor/ws';

function wrong(pointer: string, detail: string, fix = advice): Problem {
  return new Problem("bad-request", { pointer, detail, fix });
}

/** The sender's own name for a frame, if it has a usable one. */
export function idOf(frame: Record<string, unknown>): string | undefined {
  return isName(frame.id) ? frame.id : undefined;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= idMax;
}

/** The delivery that a frame names, as its answer or as a draft of one. */
export function deliveryNamedIn(frame: Record<string, unknown>): { inReplyTo?: string; isDraft: boolean } {
  const isDraft = Object.hasOwn(frame, "draft");
  const { inReplyTo } = isDraft && isRecord(frame.draft) ? frame.draft : frame;
  return { isDraft, ...(isName(inReplyTo) && { inReplyTo }) };
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
  if (openFloor === undefined) throw wrong("", "the frame holds no envelope: `openFloor` is missing");
  if (id !== undefined && !isName(id)) throw wrong("/id", `id is a text of 1 to ${idMax} characters`);
  if (inReplyTo !== undefined) {
    if (!isName(inReplyTo)) throw wrong("/inReplyTo", "inReplyTo is the `delivery` that is answered");
    const conversation = isRecord(openFloor) && isRecord(openFloor.conversation) ? openFloor.conversation : {};
    const conversationId = typeof conversation.id === "string" ? conversation.id : undefined;
    return { kind: "answer", inReplyTo, ...(id && { id }), ...(conversationId && { conversationId }) };
  }
  if (id === undefined) throw wrong("/id", "id is missing: a frame is acknowledged by its id");
  return { kind: "envelope", id, ...baggageIn(frame) };
}

/** As the header of the same name at `POST /openfloor`. */
function baggageIn({ baggage }: Record<string, unknown>): { baggage?: string } {
  if (baggage === undefined) return {};
  if (typeof baggage === "string" && baggage.length <= baggageMax) return { baggage };
  throw wrong("/baggage", `baggage is a text of at most ${baggageMax} characters (W3C Baggage)`);
}

function readDraft(frame: Record<string, unknown>): ClientFrame {
  assertKeys(frame, ["draft", "id"], "");
  const { draft } = frame;
  if (!isRecord(draft)) throw wrong("/draft", "a draft is an object");
  assertKeys(draft, keys.draft, "/draft");
  const { inReplyTo, dialogEventId, delta, to, step } = draft;
  if (!isName(inReplyTo)) throw wrong("/draft/inReplyTo", "inReplyTo is the `delivery` that is answered");
  if (!isName(dialogEventId)) throw wrong("/draft/dialogEventId", "the id the finished utterance will have");
  if (delta !== undefined && typeof delta !== "string") throw wrong("/draft/delta", "delta is text");
  if (to !== undefined && !isRecord(to)) throw wrong("/draft/to", "to is an object");
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
  if (fault !== undefined) throw wrong(`/draft/step${fault.pointer}`, fault.rule, fault.fix);
  return step;
}

function addresseeIn({ speakerUri, serviceUrl, private: isPrivate }: Record<string, unknown>) {
  return {
    ...(typeof speakerUri === "string" && { speakerUri }),
    ...(typeof serviceUrl === "string" && { serviceUrl }),
    // A whisper must not be shown to all because its flag is unreadable.
    ...(isPrivate !== undefined && { private: isPrivate !== false }),
  };
}

function assertKeys(frame: Record<string, unknown>, allowed: readonly string[], at: string): void {
  const stranger = Object.keys(frame).find((key) => !allowed.includes(key));
  if (stranger === undefined) return;
  const pointer = `${at}/${stranger.slice(0, idMax).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  throw wrong(pointer, `such a frame has no key ${JSON.stringify(stranger.slice(0, idMax))}`);
}
