// Records a conversation and replays it.

import {
  decide,
  defaultOptions,
  type Entry,
  emptyFloor,
  type Floor,
  type FloorOptions,
  type Input,
} from "@plenary/floor";
import {
  ann,
  ben,
  chair,
  command,
  from,
  identificationOf,
  parrot,
  seating,
  self,
  urlOf,
} from "@plenary/floor/testing/room";
import type { FloorEvent } from "@plenary/protocol";
import { compare } from "../replay/compare.ts";
import { recordingOf } from "../replay/recording.ts";
import { replay } from "../replay/replay.ts";
import type { ConvenerCall, ConvenerReply, WhatIf } from "../replay/what-if.ts";

/** Records a conversation; each input comes `afterSeconds` after the one before. */
export function recorder(options: Partial<FloorOptions> = {}) {
  let floor: Floor = emptyFloor("conv:1");
  let nowMs = Date.parse("2025-05-02T09:00:00.000Z");
  const log: Entry[] = [];
  const happen = (input: Input, afterSeconds = 1) => {
    nowMs += afterSeconds * 1_000;
    const decision = decide(floor, input, new Date(nowMs).toISOString());
    floor = decision.floor;
    log.push(...decision.entries);
    const letters = decision.effects.filter((effect) => effect.kind === "deliver");
    return (speakerUri: string) => letters.find((one) => one.to.speakerUri === speakerUri)?.delivery ?? "";
  };
  const about = { self, owner: identificationOf(ann), options: { ...defaultOptions, ...options } };
  happen(command({ verb: "open", ...about }));
  happen(seating(ben, "person"));
  happen(seating(parrot, "agent"));
  return { log, happen };
}

export const answered = (delivery: string, speakerUri: string, ...events: FloorEvent[]): Input => {
  return { kind: "answer", delivery, envelope: from(speakerUri, ...events).envelope };
};

export type Reply = (call: ConvenerCall) => ConvenerReply;

export function run(log: readonly Entry[], whatIf: WhatIf, reply: Reply = () => ({})) {
  const recording = recordingOf("conv:1", log);
  const replaying = replay(recording, whatIf);
  let next = replaying.next();
  while (next.done !== true) next = replaying.next(reply(next.value));
  const was = { entries: log, stepOfEntry: recording.stepOfEntry };
  const { differences } = compare(was, next.value, recording, new Set([chair, urlOf(chair)]));
  return { replayed: next.value, differences };
}

export const saying = (...events: FloorEvent[]): ConvenerReply => ({ envelope: from(chair, ...events).envelope });

/** Accepts the invite, then returns what the test gives it. */
export const chaired =
  (rule: (call: ConvenerCall & { kind: "deliver" }) => ConvenerReply, onTime: Reply = () => ({})): Reply =>
  (call) => {
    if (call.kind === "time") return onTime(call);
    return call.effect.isInvite ? saying({ eventType: "acceptInvite" }) : rule(call);
  };

export const newChair: WhatIf = { convener: { serviceUrl: urlOf(chair) }, options: {} };
