import { seatOf } from "@plenary/floor";
import { envelope } from "@plenary/protocol";
import type { ConvenerCall, ConvenerReply } from "@plenary/transcript";
import { carriedOf, peersOf } from "../conversation/decode.ts";
import { createHttpOutbound } from "../delivery/http/client.ts";
import { emptyAnswer } from "../delivery/message.ts";
import { type DeliveryLimits, defaultDeliveryLimits } from "../limits.ts";
import type { Clock, Ids } from "../ports/clock.ts";
import type { Dialler } from "../ports/dialler.ts";
import type { OutboundMessage } from "../ports/outbound.ts";

type ReplayPorts = { dialler: Dialler; clock: Clock; ids: Ids };

/** Shorter than on a floor: a person waits for the whole replay. */
const timeoutMaxMs = 10_000;

/** `detail`: why it did not answer, for people. */
export type ConvenerOverHttp = { ask: (call: ConvenerCall) => Promise<ConvenerReply & { detail?: string }> };

/**
 * Sends a convener the same requests as a floor, with other ids, and returns its answers. Each request is tried once. The
 * convener has no address for requests of its own, so it is not woken at the times it asked for.
 */
export function createConvenerOverHttp({ dialler, clock, ids }: ReplayPorts): ConvenerOverHttp {
  return {
    async ask(call) {
      if (call.kind !== "deliver") return {};
      const self = { serviceUrl: "", ...call.floor.self };
      const limits = limitsOf(Math.min(call.floor.options.convenerDeadlineMs, timeoutMaxMs));
      const outbound = createHttpOutbound({ dialler, clock, ids, limits, self, deliverySecret: ids.newId() });
      const message = outboundMessageOf(call);
      const outcome = await outbound.send(message);
      switch (outcome.kind) {
        case "envelope":
          return { envelope: outcome.envelope, dialect: outcome.dialect };
        case "failure":
          return { failure: outcome.failure, detail: outcome.detail };
        case "later":
          // A later answer cannot arrive, so it counts as no answer yet (D11).
          return { envelope: emptyAnswer(message) };
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
    connectMs: Math.min(timeoutMs, connectMs),
    inviteRetryMs: 0,
    retryMs: 0,
    silenceMs: timeoutMs,
    inviteAnswerMs: timeoutMs,
    answerMs: timeoutMs,
    streamMs: timeoutMs,
  };
}

function outboundMessageOf({ effect, floor }: Extract<ConvenerCall, { kind: "deliver" }>): OutboundMessage {
  const { delivery, to, sender, conversation, events, turn, depth, floors = [], isInvite, isDelegation } = effect;
  const dialect = seatOf(floor, to.speakerUri)?.dialect;
  const peers = peersOf(floor);
  return {
    conversationId: floor.id,
    delivery,
    to,
    turn,
    depth,
    floors,
    isInvite,
    isDelegation,
    peers,
    envelope: envelope({ conversation, sender, events }),
    ...(dialect && { dialect }),
    background: async () => ({ peers, carried: carriedOf(floor) }),
    signal: new AbortController().signal,
    onRetry: () => {},
    onDraft: () => {},
  };
}
