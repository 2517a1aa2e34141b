import { type EventOf, lapseFeature, readInteraction, replyIn, textUtterance } from "@plenary/protocol";
import { asFloor, type DecisionBuilder, later, type Origin } from "../decision-builder.ts";
import type { EventEntry } from "../entry.ts";
import { seatOf } from "../floor.ts";
import type { LapsedQuestion } from "../input.ts";
import { recordEvent } from "./record-event.ts";

/** Reads the lapsed question from its entry in a log, for a replay. */
export function lapsedQuestionOf({
  event,
  causedBy = 0,
  target = "",
  turn,
  depth,
  deliveries,
}: EventEntry): LapsedQuestion {
  const { id = "" } = (event.eventType === "utterance" && replyIn(event.parameters.dialogEvent)) || {};
  const whisperer = deliveries[0]?.whisperer;
  return { seq: causedBy, id, sender: target, turn, depth, ...(whisperer !== undefined && { whisperer }) };
}

/** Sets a timer for the question in the entry just written, if the question has a time limit. */
export function startQuestionTimer(
  { floor, effects, now }: DecisionBuilder,
  { speakerUri }: Origin,
  event: EventOf<"utterance">,
): void {
  const { dialogEvent } = event.parameters;
  if (dialogEvent.features.interaction === undefined) return;
  const { timeoutMs, inputType } = readInteraction(dialogEvent) ?? {};
  if (timeoutMs === undefined || inputType === "notification") return;
  if (seatOf(floor, speakerUri)?.kind !== "agent") return;
  effects.push({ kind: "timer", id: `question:${floor.seq}`, at: later(now, timeoutMs) });
}

/** Informs the agent that its question was not answered. Without this it could not continue: an agent speaks only in answers. */
export function onQuestionTimeout(builder: DecisionBuilder, question: LapsedQuestion | undefined): void {
  const { floor } = builder;
  const seat = question && seatOf(floor, question.sender);
  if (question === undefined || seat?.kind !== "agent") return;
  const { seq, id, whisperer, turn, depth } = question;
  const { speakerUri } = seat.identification;
  const origin = asFloor(builder, { turn, depth, causedBy: seq });
  const said = { speakerUri: origin.speakerUri, id: `lapsed-${seq}`, startTime: builder.now, to: { speakerUri } };
  const event = textUtterance("Your question was not answered in time.", said);
  event.parameters.dialogEvent.features.interactionReply = lapseFeature(id);
  const facts = { target: speakerUri, isNotice: true as const, recipients: [seat], audience: [speakerUri] };
  recordEvent(builder, origin, event, "question/lapsed", { ...facts, ...(whisperer !== undefined && { whisperer }) });
}
