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
  type To,
  uninvite,
} from "@plenary/protocol";
import { isMisunderstanding, newestFirst } from "../../ask-agent.ts";
import { type Dialler, type DialRequest, exchangeText } from "../../dialler/dial.ts";
import { DialError } from "../../dialler/dial-error.ts";

export type Target = { serviceUrl: string; speakerUri?: string };

/** What a channel is to the one it channels: its floor manager, and the only other one there. */
export type Line = {
  /** Of the conversation with the target, which is not the one that the channel was invited to. */
  id: string;
  target: Target;
  /** Known once the target has answered. */
  dialect?: Dialect;
};

export type Call = {
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

export function newLine(target: Target): Line {
  return { id: crypto.randomUUID(), target };
}

export function toTarget({ target: { serviceUrl, speakerUri } }: Line): To {
  return speakerUri === undefined ? { serviceUrl } : { speakerUri };
}

/** One envelope to the target, one back. Until it has answered once, the older dialects are tried when it does not understand. */
export async function exchange(line: Line, events: FloorEvent[], call: Call): Promise<Envelope> {
  let first: ChannelError | undefined;
  for (const dialect of line.dialect === undefined ? newestFirst : [line.dialect]) {
    const answer = await post(line, events, dialect, call);
    if (answer instanceof ChannelError) {
      first ??= answer;
      continue;
    }
    line.dialect = dialect;
    const { speakerUri } = answer.sender;
    // Spec 1.12: it answers under a name of its own, and keeps it.
    line.target = { ...line.target, speakerUri };
    return answer;
  }
  throw first ?? new ChannelError("no-envelope", "no dialect was understood");
}

async function post(
  line: Line,
  events: FloorEvent[],
  dialect: Dialect,
  { dialler, self, signal, baggage, traceparent }: Call,
): Promise<Envelope | ChannelError> {
  const { serviceUrl, speakerUri = serviceUrl } = line.target;
  const conversation = { id: line.id, conversants: [self, { speakerUri, serviceUrl }].map(conversantOf) };
  const whole = envelope({ conversation, sender: self, events });
  const peers = {
    speakerUriOf: (url: string) => (url === serviceUrl ? speakerUri : undefined),
    serviceUrlOf: (uri: string) =>
      uri === speakerUri ? serviceUrl : uri === self.speakerUri ? self.serviceUrl : undefined,
  };
  const body = JSON.stringify(encodeEnvelope(whole, dialect, { peers }).document);
  const headers = {
    ...{ "content-type": "application/json", accept: "application/json", baggage },
    ...(traceparent !== undefined && { traceparent }),
  };
  const { status, text } = await dialled(dialler, { url: serviceUrl, headers, body, signal });
  if (status !== 200) {
    const problem = new ChannelError("no-envelope", `${serviceUrl} answered ${status}`);
    if (isMisunderstanding(status)) return problem;
    throw problem;
  }
  const parsed = parseEnvelope(envelopeIn(text), { now: new Date().toISOString(), newId, receiver: self, peers });
  if (!parsed.ok) return new ChannelError("no-envelope", `${serviceUrl} did not answer with an envelope`);
  return parsed.envelope;
}

const newId = () => `de:${crypto.randomUUID()}`;

async function dialled(dialler: Dialler, request: DialRequest) {
  try {
    return await exchangeText(dialler, request);
  } catch (cause) {
    if (!(cause instanceof DialError)) throw cause;
    throw new ChannelError("unreachable", cause.message, cause);
  }
}

/** Some stream whatever they are asked for: the envelope comes at the end (D30). */
function envelopeIn(text: string): string {
  const frame = text.split(/\r?\n\r?\n/u).find((part) => /^event: ?envelope$/mu.test(part));
  return frame === undefined ? text : frame.replace(/^event:.*\r?\n?/mu, "").replace(/^data: ?/gmu, "");
}

function conversantOf({ speakerUri, serviceUrl }: { speakerUri: string; serviceUrl: string }): Conversant {
  const unknown = { organization: "", conversationalName: "", synopsis: "" };
  return { identification: introduced({ speakerUri, serviceUrl, ...unknown }, "An agent of this conversation") };
}

/** Where a target's delegation has led. */
export type Followed = {
  /** The one who is channeled from now on; absent: it did not come, and the target goes on. */
  line?: Line;
  /** What both had to say to it, in order. */
  answers: Envelope[];
};

/**
 * Spec 0.3: delegation can happen at any level. A target that invites another one is taken at its word: the newcomer, if it
 * comes, is channeled in its place. Undefined: it has invited nobody.
 */
export async function follow(line: Line, { events }: Envelope, call: Call): Promise<Followed | undefined> {
  const invitation = events.find((event) => event.eventType === "invite");
  const { serviceUrl, speakerUri } = invitation?.to ?? {};
  if (invitation === undefined || serviceUrl === undefined) return undefined;
  const next: Line = { id: line.id, target: { serviceUrl, ...(speakerUri !== undefined && { speakerUri }) } };
  const welcome = await exchange(next, [invitation], call).catch(refusalOf);
  const asNext = { ...call, self: { speakerUri: next.target.speakerUri ?? serviceUrl, serviceUrl } };
  const to = toTarget(line);
  const refusal = "refusal" in welcome ? welcome.refusal : welcome.events.find(isRefusal);
  const hasLeft = events.some(({ eventType }) => eventType === "bye");
  if ("refusal" in welcome || refusal !== undefined) {
    const reason = refusal?.reason === undefined ? {} : { reason: refusal.reason };
    return { answers: hasLeft ? [] : [await exchange(line, [declineInvite({ to, ...reason })], asNext)] };
  }
  const parting = hasLeft ? undefined : await exchange(line, [acceptInvite({ to })], asNext).catch(nobody);
  if (parting?.events.some(({ eventType }) => eventType === "bye") === false) {
    await exchange(line, [uninvite({ to })], call).catch(nobody);
  }
  return { line: next, answers: parting === undefined ? [welcome] : [welcome, parting] };
}

function isRefusal({ eventType }: FloorEvent): boolean {
  return eventType === "declineInvite";
}

function refusalOf(error: unknown): { refusal: FloorEvent } {
  if (!(error instanceof ChannelError)) throw error;
  return { refusal: declineInvite({ reason: error.code === "unreachable" ? "@unavailable" : "@error" }) };
}

/** Whoever has handed over need not be there any longer. */
function nobody(error: unknown): undefined {
  if (!(error instanceof ChannelError)) throw error;
}
