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

/** Something the new convener is to hear. */
type Matter = { kind: "deliver"; effect: DeliverEffect } | { kind: "time" };

/** The one who has the chair in place of another: what it is still to hear, and how it has answered. */
export type NewConvener = {
  /** Once it has the chair. */
  speakerUri: string | undefined;
  wakeAtMs: number | undefined;
  asked: number;
  unanswered: number;
  hears(decision: Decision, floor: Floor): void;
  next(): Matter | undefined;
};

/** One that wants to be woken all the time is not asked for ever. */
const callsMax = 50_000;

export function newConvener({ convener }: WhatIf): NewConvener {
  const serviceUrl = typeof convener === "object" ? convener.serviceUrl : undefined;
  const matters: Matter[] = [];
  return {
    ...{ speakerUri: undefined, wakeAtMs: undefined, asked: 0, unanswered: 0 },
    hears({ entries, effects }, floor) {
      if (serviceUrl === undefined) return;
      for (const effect of effects) {
        if (effect.kind !== "deliver" || effect.isForwarded || !isSameUri(effect.to.serviceUrl, serviceUrl)) continue;
        matters.push({ kind: "deliver", effect: hushed(effect) });
      }
      if (entries.some(({ kind }) => kind === "role")) this.speakerUri ??= convenerOf(floor);
    },
    next: () => matters.shift(),
  };
}

/**
 * Whispers are for whom they were for, and it may call itself as it likes: it is told that there was one. No history of
 * an invite goes to it.
 */
function hushed(effect: DeliverEffect): DeliverEffect {
  const events = effect.events.map((event) => {
    if (event.eventType !== "utterance" || !isPrivate(event)) return viewFor(event, false, []);
    const { id, speakerUri, span } = event.parameters.dialogEvent;
    const features = { text: { mimeType: "text/plain", tokens: [{ value: "[whispered]" }] } };
    return { ...event, parameters: { dialogEvent: { id, speakerUri, span, features } } };
  });
  return { ...effect, events };
}

type Moment = { floor: Floor; nowMs: number };

/** What comes of telling it: its answer, or what it sends of its own accord. */
export function* callConvener(
  convener: NewConvener,
  matter: Matter,
  { floor, nowMs }: Moment,
): Generator<ConvenerCall, Input | undefined, ConvenerReply> {
  convener.wakeAtMs = undefined;
  const isAsked = convener.asked < callsMax;
  if (isAsked) convener.asked += 1;
  const about = { floor, at: new Date(nowMs).toISOString() };
  const reply: ConvenerReply = isAsked ? yield { ...matter, ...about } : { failure: "timeout" };
  if (reply.wakeAtMs !== undefined) convener.wakeAtMs = Math.max(reply.wakeAtMs, nowMs + 1);
  const { envelope, failure, dialect } = reply;
  if (matter.kind !== "deliver") return envelope && ownInitiative(convener, floor, envelope);
  const { delivery } = matter.effect;
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
