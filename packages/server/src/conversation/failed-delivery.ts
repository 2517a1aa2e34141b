import { type AnswerInput, type DeliverEffect, isAboutOthers as isEventAboutOthers } from "@plenary/floor";
import { type FloorEvent, isSameAddress, isSameUri } from "@plenary/protocol";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { MaybePromise } from "../ports/maybe-promise.ts";
import type { Outcome } from "../ports/outbound.ts";
import { isUnended } from "./log-lookup.ts";

/** A delivery with its turn, also when the floor no longer stores it. */
export type DeliveryRef = Pick<DeliverEffect, "delivery" | "turn" | "events" | "to">;

type FailureOutcome = Outcome & { kind: "failure" };

/**
 * Whether the log has no end of this delivery yet. Read only for a delivery that was stopped before it was sent: another
 * process with the same store may have written its end.
 */
export function isUnsentNew(
  log: Pick<ConversationLog, "entries">,
  conversationId: string,
  sent: DeliveryRef,
  { unsent }: FailureOutcome,
): MaybePromise<boolean> {
  return unsent === undefined ? false : isUnended(log, { conversationId, effect: sent });
}

/** The input for the floor when a delivery failed. */
export function failureInput(sent: DeliveryRef, ended: FailureOutcome, isNew: boolean): AnswerInput {
  const { delivery, turn, events, to } = sent;
  const { failure, unsent } = ended;
  const isAboutOthers = newsOfOthers(events, to).length === events.length;
  const detail = reasonOf(ended, to.serviceUrl);
  return {
    kind: "answer",
    delivery,
    turn,
    failure,
    ...(isAboutOthers && { isAboutOthers }),
    ...(isNew && unsent !== undefined && { unsent }),
    ...(detail !== undefined && { detail }),
  };
}

type Recipient = { speakerUri: string; serviceUrl: string };

/** The events that only inform this recipient about other conversants (D23'). */
export function newsOfOthers(events: readonly FloorEvent[], recipient: Recipient): FloorEvent[] {
  return events.filter((event) => isEventAboutOthers(event, isTo(event, recipient)));
}

function isTo({ to }: FloorEvent, { speakerUri, serviceUrl }: Recipient): boolean {
  if (to?.speakerUri !== undefined && isSameUri(to.speakerUri, speakerUri)) return true;
  return to?.serviceUrl !== undefined && isSameAddress(to.serviceUrl, serviceUrl);
}

/** The detail of a failure without a code: the circuit breaker of the target was open all the time. */
export const notTried = "it has failed too often to be tried now";

/** Why a delivery failed, as a phrase after the recipient's name. Undefined where no exact reason is known. */
export function reasonOf(
  { code = "", detail, excerpt, unsent }: FailureOutcome,
  serviceUrl: string,
): string | undefined {
  if (unsent && code === "") return "did not receive this: it was stopped before it could be sent";
  if (detail === notTried) return `${withoutSubject(detail)}: try again in a few minutes`;
  const phrase = phraseOf(code, detail, serviceUrl);
  return phrase === undefined || excerpt === undefined ? phrase : `${phrase}: ${excerpt}`;
}

function phraseOf(code: string, detail: string, serviceUrl: string): string | undefined {
  switch (code) {
    case "status":
    case "redirect":
    case "timeout":
    case "echo":
      return withoutSubject(detail);
    case "refused-address":
      return `is not allowed from here: ${whyRefused(detail)}; the operator allows it with PLENARY_ALLOW_HOSTS=${hostOf(serviceUrl)}`;
    case "refused-url":
      return "is not allowed from here: its address is not a plain http or https URL";
    case "unreachable":
      return `could not be reached: ${whyUnreachable(detail)}`;
    case "not-connected":
      return "is not connected";
    case "broken":
      return "closed the connection before it answered";
    case "too-large":
      return "sent an answer that is too large";
    case "encoded":
      return "sent a compressed answer, which was not requested";
    default:
      return undefined;
  }
}

function withoutSubject(detail: string): string {
  return detail.replace(/^it /u, "");
}

/**
 * Matches the texts of the SDK, which has one code for the three reasons. Leaves out the resolved address: an inviter
 * need not know the addresses of this network.
 */
function whyRefused(detail: string): string {
  if (/only https/u.test(detail)) return "public addresses need https";
  return /\bport \d+/u.test(detail) ? "its port is not the default port of https" : "its address is not public";
}

/** In the form that the list of allowed hosts takes. */
function hostOf(serviceUrl: string): string {
  return URL.canParse(serviceUrl) ? new URL(serviceUrl).host : "HOST:PORT";
}

/** Matches the texts of Node and OpenSSL: an outcome has the code of the dialler only. */
function whyUnreachable(detail: string): string {
  if (/certificate|\bCERT_|self.signed|\bTLS\b|\bSSL\b|EPROTO/iu.test(detail))
    return "its certificate is not trusted here";
  if (/ENOTFOUND|EAI_AGAIN|no address/u.test(detail)) return "no host has this name";
  if (/ECONNREFUSED/u.test(detail)) return "nothing listens at this address (connection refused)";
  return /timed?.?out/iu.test(detail) ? "the connection timed out" : "the connection failed";
}
