import {
  convenerOf,
  type Decision,
  type DeliverEffect,
  type Floor,
  type Input,
  seatNamed,
  viewFor,
} from "@plenary/floor";
import { type Envelope, isPrivate, isSameUri } from "@plenary/protocol";
import type { ConvenerCall, ConvenerReply, WhatIf } from "./what-if.ts";

/** A call that the new convener is to receive. */
type ConvenerTask = { kind: "deliver"; effect: DeliverEffect } | { kind: "time" };

/** The convener of the replay: its pending calls and its counters. */
export type NewConvener = {
  /** Set once it has the role. */
  speakerUri: string | undefined;
  wakeAtMs: number | undefined;
  asked: number;
  unanswered: number;
  hears(decision: Decision, floor: Floor): void;
  next(): ConvenerTask | undefined;
};

/** Limit of calls, for a convener that always asks to be woken. */
const callsMax = 50_000;

export function newConvener({ convener }: WhatIf): NewConvener {
  const serviceUrl = typeof convener === "object" ? convener.serviceUrl : undefined;
  const tasks: ConvenerTask[] = [];
  return {
    speakerUri: undefined,
    wakeAtMs: undefined,
    asked: 0,
    unanswered: 0,
    hears({ entries, effects }, floor) {
      if (serviceUrl === undefined) return;
      for (const effect of effects) {
        if (effect.kind !== "deliver" || effect.isForwarded || !isSameUri(effect.to.serviceUrl, serviceUrl)) continue;
        tasks.push({ kind: "deliver", effect: withoutWhispers(effect) });
      }
      if (entries.some(({ kind }) => kind === "role")) this.speakerUri ??= convenerOf(floor);
    },
    next: () => tasks.shift(),
  };
}

/**
 * Replaces the text of whispers: the new convener sees only that there was one. No history of
 * an invite goes to it either.
 */
function withoutWhispers(effect: DeliverEffect): DeliverEffect {
  const events = effect.events.map((event) => {
    if (event.eventType !== "utterance" || !isPrivate(event)) return viewFor(event, false, []);
    const { id, speakerUri, span } = event.parameters.dialogEvent;
    const features = { text: { mimeType: "text/plain", tokens: [{ value: "[whispered]" }] } };
    return { ...event, parameters: { dialogEvent: { id, speakerUri, span, features } } };
  });
  return { ...effect, events };
}

type ReplayMoment = { floor: Floor; nowMs: number };

/** Calls the convener. Returns its answer, or an unsolicited envelope. */
export function* callConvener(
  convener: NewConvener,
  task: ConvenerTask,
  { floor, nowMs }: ReplayMoment,
): Generator<ConvenerCall, Input | undefined, ConvenerReply> {
  convener.wakeAtMs = undefined;
  const isAsked = convener.asked < callsMax;
  if (isAsked) convener.asked += 1;
  const about = { floor, at: new Date(nowMs).toISOString() };
  const reply: ConvenerReply = isAsked ? yield { ...task, ...about } : { failure: "timeout" };
  if (reply.wakeAtMs !== undefined) convener.wakeAtMs = Math.max(reply.wakeAtMs, nowMs + 1);
  const { envelope, failure, dialect } = reply;
  if (task.kind !== "deliver") return envelope && ownInitiative(convener, floor, envelope);
  const { delivery } = task.effect;
  if (envelope === undefined) {
    convener.unanswered += 1;
    return { kind: "answer", delivery, failure: failure ?? "no-envelope" };
  }
  return { kind: "answer", delivery, envelope, ...(dialect && { dialect }) };
}

function ownInitiative({ speakerUri }: NewConvener, floor: Floor, envelope: Envelope): Input | undefined {
  if (envelope.events.length === 0 || seatNamed(floor, speakerUri) === undefined) return undefined;
  return { kind: "envelope", envelope };
}
