import {
  acceptInvite,
  type Conversant,
  type Dialect,
  declineInvite,
  type Envelope,
  encodeEnvelope,
  envelope,
  type FloorEvent,
  introduced,
  parseEnvelope,
  readEventStream,
  type To,
  uninvite,
} from "@plenary/protocol";
import { dialectsNewestFirst, mayUnderstandOlderDialect } from "../../ask-agent.ts";
import { type Dialler, type DialRequest, dialText } from "../../dialler/dial.ts";
import { DialError } from "../../dialler/dial-error.ts";

export type ChannelTarget = { serviceUrl: string; speakerUri?: string };

/** The conversation of a channel and its target. The channel is the floor manager and the only other conversant. */
export type TargetConversation = {
  /** Not the id of the conversation that the channel was invited to. */
  id: string;
  target: ChannelTarget;
  /** Set by the first answer of the target. */
  dialect?: Dialect;
};

export type TargetRequest = {
  dialler: Dialler;
  self: { speakerUri: string; serviceUrl: string };
  signal: AbortSignal;
  baggage: string;
  traceparent?: string;
};

/** The target did not answer with an envelope. */
export class ChannelError extends Error {
  override readonly name = "ChannelError";
  readonly code: "unreachable" | "no-envelope";

  constructor(code: ChannelError["code"], problem: string, cause?: unknown) {
    super(problem, cause === undefined ? {} : { cause });
    this.code = code;
  }
}

export function newTargetConversation(target: ChannelTarget): TargetConversation {
  return { id: crypto.randomUUID(), target };
}

export function toTarget({ target: { serviceUrl, speakerUri } }: TargetConversation): To {
  return speakerUri === undefined ? { serviceUrl } : { speakerUri };
}

/** Sends one envelope and returns the answer. Before the first answer, older dialects are tried if the target does not understand. */
export async function exchangeEnvelopes(
  conversation: TargetConversation,
  events: FloorEvent[],
  request: TargetRequest,
): Promise<Envelope> {
  let first: ChannelError | undefined;
  for (const dialect of conversation.dialect === undefined ? dialectsNewestFirst : [conversation.dialect]) {
    const answer = await post(conversation, events, dialect, request);
    if (answer instanceof ChannelError) {
      first ??= answer;
      continue;
    }
    conversation.dialect = dialect;
    const { speakerUri } = answer.sender;
    // Spec 1.12: the target answers under its own speakerUri.
    conversation.target = { ...conversation.target, speakerUri };
    return answer;
  }
  throw first ?? new ChannelError("no-envelope", "the target understood no dialect");
}

async function post(
  conversation: TargetConversation,
  events: FloorEvent[],
  dialect: Dialect,
  { dialler, self, signal, baggage, traceparent }: TargetRequest,
): Promise<Envelope | ChannelError> {
  const { serviceUrl, speakerUri = serviceUrl } = conversation.target;
  const described = { id: conversation.id, conversants: [self, { speakerUri, serviceUrl }].map(conversantOf) };
  const whole = envelope({ conversation: described, sender: self, events });
  const peers = {
    speakerUriOf: (url: string) => (url === serviceUrl ? speakerUri : undefined),
    serviceUrlOf: (uri: string) =>
      uri === speakerUri ? serviceUrl : uri === self.speakerUri ? self.serviceUrl : undefined,
  };
  const body = JSON.stringify(encodeEnvelope(whole, dialect, { peers }).document);
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    baggage,
    ...(traceparent !== undefined && { traceparent }),
  };
  const { status, text } = await dialled(dialler, { url: serviceUrl, headers, body, signal });
  if (status !== 200) {
    const problem = new ChannelError("no-envelope", `${serviceUrl} answered ${status}`);
    if (mayUnderstandOlderDialect(status)) return problem;
    throw problem;
  }
  const parsed = parseEnvelope(await envelopeIn(text), { now: new Date().toISOString(), newId, receiver: self, peers });
  if (!parsed.ok) return new ChannelError("no-envelope", `${serviceUrl} did not answer with an envelope`);
  return parsed.envelope;
}

const newId = () => `de:${crypto.randomUUID()}`;

async function dialled(dialler: Dialler, request: DialRequest) {
  try {
    return await dialText(dialler, request);
  } catch (cause) {
    if (!(cause instanceof DialError)) throw cause;
    throw new ChannelError("unreachable", cause.message, cause);
  }
}

/** Some agents stream although `accept` asks for JSON. The envelope is the last event (D30). */
async function envelopeIn(text: string): Promise<string> {
  for await (const { event, data } of readEventStream([text])) if (event === "envelope") return data;
  return text;
}

function conversantOf({ speakerUri, serviceUrl }: { speakerUri: string; serviceUrl: string }): Conversant {
  const unknown = { organization: "", conversationalName: "", synopsis: "" };
  return { identification: introduced({ speakerUri, serviceUrl, ...unknown }, "An agent of this conversation") };
}

/** The result of a delegation by the target. */
export type DelegationResult = {
  /** The conversation with the new target; absent: it did not join, and the old target continues. */
  conversation?: TargetConversation;
  /** The answers of both targets, in order. */
  answers: Envelope[];
};

/**
 * Spec 0.3: delegation can happen at any level. If the target invites another agent and that agent joins, it becomes the new
 * target. Undefined: the target sent no invite.
 */
export async function followDelegation(
  conversation: TargetConversation,
  { events }: Envelope,
  request: TargetRequest,
): Promise<DelegationResult | undefined> {
  const invitation = events.find((event) => event.eventType === "invite");
  const { serviceUrl, speakerUri } = invitation?.to ?? {};
  if (invitation === undefined || serviceUrl === undefined) return undefined;
  const next: TargetConversation = {
    id: conversation.id,
    target: { serviceUrl, ...(speakerUri !== undefined && { speakerUri }) },
  };
  const welcome = await exchangeEnvelopes(next, [invitation], request).catch(refusalOf);
  const asNext = { ...request, self: { speakerUri: next.target.speakerUri ?? serviceUrl, serviceUrl } };
  const to = toTarget(conversation);
  const refusal = "refusal" in welcome ? welcome.refusal : welcome.events.find(isRefusal);
  const hasLeft = events.some(({ eventType }) => eventType === "bye");
  if ("refusal" in welcome || refusal !== undefined) {
    const reason = refusal?.reason === undefined ? {} : { reason: refusal.reason };
    return {
      answers: hasLeft ? [] : [await exchangeEnvelopes(conversation, [declineInvite({ to, ...reason })], asNext)],
    };
  }
  const farewell = hasLeft
    ? undefined
    : await exchangeEnvelopes(conversation, [acceptInvite({ to })], asNext).catch(ignoreChannelError);
  if (farewell?.events.some(({ eventType }) => eventType === "bye") === false) {
    await exchangeEnvelopes(conversation, [uninvite({ to })], request).catch(ignoreChannelError);
  }
  return { conversation: next, answers: farewell === undefined ? [welcome] : [welcome, farewell] };
}

function isRefusal({ eventType }: FloorEvent): boolean {
  return eventType === "declineInvite";
}

function refusalOf(error: unknown): { refusal: FloorEvent } {
  if (!(error instanceof ChannelError)) throw error;
  return { refusal: declineInvite({ reason: error.code === "unreachable" ? "@unavailable" : "@error" }) };
}

/** A target that has handed over may be gone. */
function ignoreChannelError(error: unknown): undefined {
  if (!(error instanceof ChannelError)) throw error;
}
