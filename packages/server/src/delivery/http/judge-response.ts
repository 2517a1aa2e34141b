import type { Failure } from "@plenary/floor";
import { textOf } from "@plenary/protocol";
import { type DecodeContext, type DecodedEnvelope, decodeAnswer, jsonTextOf } from "../../conversation/decode.ts";
import type { DeliveryLimits } from "../../limits.ts";
import type { Dialler, DialResponse } from "../../ports/dialler.ts";
import type { BrokenRule, FloorIdentity, OutboundMessage, Outcome } from "../../ports/outbound.ts";
import { emptyAnswer } from "../message.ts";
import { readBody } from "./answer-body.ts";
import { excerptOf, type SentRequest } from "./excerpt.ts";

export type HttpOptions = DecodeContext & {
  dialler: Dialler;
  limits: DeliveryLimits;
  self: FloorIdentity;
  deliverySecret: string;
  /** The signing secrets for this address, newest first; at most two are used. Unsigned when there are none. */
  secretsFor?: (serviceUrl: string) => readonly string[] | Promise<readonly string[]>;
};

/** What an attempt says about the target, independent of the delivery. */
export type Health = "alive" | "failing" | "unknown";

/** The result of one POST: an end, a reason to try an older dialect, or a reason to retry. */
export type Result = { health: Health } & (
  | { kind: "end"; outcome: Outcome }
  | DialectRejected
  /** An envelope of a peer that may not have understood: used when no other dialect gives a better result. */
  | { kind: "doubtful"; outcome: Outcome & { kind: "envelope" } }
  | { kind: "again"; afterMs?: number; detail: string; code?: string; excerpt?: string }
);

type DialectRejected = {
  kind: "misunderstood";
  failure: Failure;
  detail: string;
  code: string;
  excerpt?: string;
  /** The status says that the request was not processed. */
  isRefused?: true;
};

export type FinalResult = Exclude<Result, { kind: "again" }>;

export const aborted: FinalResult = { kind: "end", outcome: { kind: "aborted" }, health: "unknown" };

type Reason = { code?: string | undefined; detail: string; excerpt?: string };

export function failed(failure: Failure, { code, detail, excerpt }: Reason, health: Health): FinalResult {
  const more = { ...(code !== undefined && { code }), ...(excerpt !== undefined && { excerpt }) };
  return { kind: "end", outcome: { kind: "failure", failure, detail, ...more }, health };
}

/** The result of a response for the delivery and for the health of its target. */
export async function judgeResponse(options: HttpOptions, sent: SentRequest, response: DialResponse): Promise<Result> {
  const { status } = response;
  if (status >= 200 && status < 300) return judgeBody(options, sent, response);
  if (status >= 300 && status < 400) {
    const detail = redirectDetail(status, response.headers.get("location"), sent.message.to.serviceUrl);
    return failed("refused", { code: "redirect", detail }, "alive");
  }
  const reason = await reasonIn(options, sent, response);
  const health = status >= 500 ? "failing" : "alive";
  if (status === 429 || status === 503) {
    const afterMs = retryAfterMs(response.headers.get("retry-after"), options.clock.now());
    return { kind: "again", ...reason, health, ...(afterMs !== undefined && { afterMs }) };
  }
  const failure = status >= 500 ? "no-envelope" : "refused";
  if (status === 500) return { kind: "misunderstood", failure, ...reason, health };
  if (refusals.has(status)) return { kind: "misunderstood", failure, ...reason, health, isRefused: true };
  return failed(failure, reason, health);
}

/** Only a check, which has no content of a conversation, keeps the excerpt in the stored detail. */
async function reasonIn({ clock }: HttpOptions, sent: SentRequest, response: DialResponse) {
  const detail = `it answered ${response.status}`;
  const excerpt = await excerptOf(response, sent, clock);
  const code = "status";
  if (excerpt === undefined) return { code, detail };
  return sent.message.isCheck === true ? { code, detail: `${detail}: ${excerpt}` } : { code, detail, excerpt };
}

/** Statuses of a peer that cannot read the request. */
const refusals: ReadonlySet<number> = new Set([400, 415, 422]);

async function judgeBody(options: HttpOptions, sent: SentRequest, response: DialResponse): Promise<Result> {
  const { limits } = options;
  const { message } = sent;
  const text = await readBody(response, { bytesMax: limits.answerBytesMax, onDraft: message.onDraft });
  if (text === "" && response.status === 204) return answered(emptyRead(message), []);
  // The content type is ignored: JSON sent as text/html is an answer, an HTML page is not.
  const read = text === undefined ? undefined : decodeAnswer(jsonTextOf(text), message.peers, options);
  if (read === undefined) {
    if (response.status === 202) return { kind: "end", outcome: { kind: "later" }, health: "alive" };
    if (isBlank(text) && mayBeSilent(message)) return answered(emptyRead(message), [noRoot]);
    return misunderstood("no-envelope", "its answer is not an envelope");
  }
  if (isEcho(options, sent, read)) return misunderstood("echo", "it repeated the request instead of answering it");
  const { envelope, issues } = read;
  const isForeign = envelope.conversation.id !== message.conversationId;
  const broken = isForeign ? [...issues, foreignConversation] : issues;
  const result = answered(read, broken);
  return isForeign && message.isInvite && envelope.events.length === 0 ? { ...result, kind: "doubtful" } : result;
}

/** An empty body is an empty answer of a peer that has answered before. A convener must answer with a decision. */
function mayBeSilent({ dialect, isInvite, isDelegation }: OutboundMessage): boolean {
  return dialect !== undefined && !isInvite && !isDelegation;
}

function isBlank(text: string | undefined): boolean {
  return text !== undefined && /^\s*(?:\{\s*\})?\s*$/u.test(text);
}

const noRoot: BrokenRule = { rule: "root", repaired: true };
const foreignConversation: BrokenRule = { rule: "answers-in-another-conversation", repaired: true };

type Answered = Pick<DecodedEnvelope, "envelope" | "dialect" | "carried" | "leftOut">;

function answered({ envelope, dialect, carried, leftOut }: Answered, issues: readonly BrokenRule[]) {
  const outcome = { kind: "envelope", envelope, dialect, carried, leftOut, encounter: { issues } } as const;
  return { kind: "end", outcome, health: "alive" } as const satisfies FinalResult;
}

function emptyRead(message: OutboundMessage): Answered {
  return { envelope: emptyAnswer(message), dialect: message.dialect ?? "1.1", carried: {}, leftOut: [] };
}

function misunderstood(code: string, detail: string): Result {
  return { kind: "misunderstood", failure: "no-envelope", code, detail, health: "failing" };
}

/** D14': the floor's own envelope, alone or beside another one. */
function isEcho(options: HttpOptions, { message, body }: SentRequest, { envelope, issues }: DecodedEnvelope): boolean {
  if (issues.some(({ rule }) => rule === "two-roots")) return true;
  const { sender, events } = envelope;
  // An answer with the recipient as sender is no echo, even if it repeats the request.
  if (sender.speakerUri === message.to.speakerUri || events.length === 0) return false;
  const ours = decodeAnswer(jsonTextOf(body), message.peers, options)?.envelope;
  if (ours === undefined || ours.sender.speakerUri !== sender.speakerUri) return false;
  const contentOf = (read: typeof ours) =>
    JSON.stringify(read.events.map((event) => [event.eventType, wordsOf(event)]));
  return contentOf(ours) === contentOf(envelope);
}

function wordsOf(event: DecodedEnvelope["envelope"]["events"][number]): string {
  return event.eventType === "utterance" ? textOf(event.parameters.dialogEvent) : "";
}

/** RFC 9110: seconds or a date. */
export function retryAfterMs(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,6}$/u.test(value.trim())) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

const locationCharsMax = 200;

/** Where a redirect leads. Redirects are not followed: the inviter must know which address it invites. */
export function redirectDetail(status: number, location: string | null | undefined, serviceUrl: string): string {
  const target = location && URL.canParse(location, serviceUrl) ? new URL(location, serviceUrl) : undefined;
  if (target === undefined) return `it answered ${status} without a new address`;
  // User name, password, query and fragment may be secret.
  const { protocol, host, pathname } = target;
  return `it moved to ${`${protocol}//${host}${pathname}`.slice(0, locationCharsMax)}`;
}
