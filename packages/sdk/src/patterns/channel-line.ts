import {
  type Conversant,
  type Dialect,
  type Envelope,
  encodeEnvelope,
  envelope,
  type FloorEvent,
  introduced,
  parseEnvelope,
  type To,
} from "@plenary/protocol";
import type { Dialler, DialRequest } from "../dial.ts";
import { DialError } from "../dial-error.ts";
import { isMisunderstanding, newestFirst } from "../dialects-tried.ts";
import { exchangeText } from "./exchange-text.ts";

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
