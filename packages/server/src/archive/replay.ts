import { seatOf } from "@plenary/floor";
import { envelope } from "@plenary/protocol";
import type { ConvenerCall, ConvenerReply } from "@plenary/transcript";
import { carriedOf, peersOf } from "../conversation/decode.ts";
import { createHttpOutbound } from "../delivery/http/client.ts";
import { type DeliveryLimits, defaultDeliveryLimits } from "../delivery/limits.ts";
import { silence } from "../delivery/message.ts";
import type { Clock, Ids } from "../ports/clock.ts";
import type { Dialler } from "../ports/dialler.ts";
import type { Letter } from "../ports/outbound.ts";

type Ways = { dialler: Dialler; clock: Clock; ids: Ids };

/** However long the floor would have waited: somebody waits for all of it. */
const timeoutMaxMs = 10_000;

/** `detail`: why it did not answer, in words. */
export type ConvenerOverHttp = { ask: (call: ConvenerCall) => Promise<ConvenerReply & { detail?: string }> };

/**
 * Tells a convener what a floor would tell it, with the same bytes but for the ids, and brings back what it answers. Each
 * time it is tried once. It has no address to send something to of its own accord, so it is never woken.
 */
export function createConvenerOverHttp({ dialler, clock, ids }: Ways): ConvenerOverHttp {
  return {
    async ask(call) {
      if (call.kind !== "deliver") return {};
      const self = () => ({ serviceUrl: "", ...call.floor.self });
      const limits = limitsOf(Math.min(call.floor.options.convenerDeadlineMs, timeoutMaxMs));
      const outbound = createHttpOutbound({ dialler, clock, ids, limits, self, deliverySecret: ids.newId });
      const letter = letterOf(call);
      const outcome = await outbound.send(letter);
      switch (outcome.kind) {
        case "envelope":
          return { envelope: outcome.envelope, dialect: outcome.dialect };
        case "failure":
          return { failure: outcome.failure, detail: outcome.detail };
        case "later":
          // The answer would come to a floor that is not there: as good as none yet (D11).
          return { envelope: silence(letter) };
        case "aborted":
          return { failure: "timeout", detail: "it was stopped" };
      }
    },
  };
}

function limitsOf(timeoutMs: number): DeliveryLimits {
  const { connectMs } = defaultDeliveryLimits;
  return {
    ...defaultDeliveryLimits,
    ...{ connectMs: Math.min(timeoutMs, connectMs), inviteRetryMs: 0, retryMs: 0 },
    ...{ silenceMs: timeoutMs, inviteAnswerMs: timeoutMs, answerMs: timeoutMs, streamMs: timeoutMs },
  };
}

function letterOf({ effect, floor }: Extract<ConvenerCall, { kind: "deliver" }>): Letter {
  const { delivery, to, sender, conversation, events, turn, depth, floors = [], isInvite, isDelegation } = effect;
  const dialect = seatOf(floor, to.speakerUri)?.dialect;
  const peers = peersOf(floor);
  return {
    ...{ conversationId: floor.id, delivery, to, turn, depth, floors, isInvite, isDelegation, peers },
    envelope: envelope({ conversation, sender, events }),
    ...(dialect && { dialect }),
    background: async () => ({ peers, carried: carriedOf(floor) }),
    signal: new AbortController().signal,
    onRetry: () => {},
    onDraft: () => {},
  };
}
