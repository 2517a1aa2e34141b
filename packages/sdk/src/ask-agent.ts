import { type Dialect, type Envelope, encodeEnvelope, isSameUri, parseEnvelope } from "@plenary/protocol";
import { DialError, type DialErrorCode } from "./dialler/dial-error.ts";

/** The part of a dialler that `askAgent` needs. A floor has one that also reaches the agents in its own process. */
export interface AskingDialler {
  dial(request: {
    url: string;
    body: string;
    headers: Readonly<Record<string, string>>;
    signal: AbortSignal;
    connectMs: number;
  }): Promise<{ status: number; body: AsyncIterable<Uint8Array> }>;
}

type AskOptions = {
  dialler: AskingDialler;
  signal: AbortSignal;
  answerMs: number;
  answerBytesMax: number;
};

/** `isSilent`: no answer came, because the agent is unreachable or too slow. */
export type Reply = { ok: true; envelope: Envelope } | { ok: false; problem: string; isSilent: boolean };

const connectMs = 3_000;
const noAnswerCodes: ReadonlySet<DialErrorCode> = new Set(["refused-url", "refused-address", "unreachable", "timeout"]);

/** Sends one envelope to an agent outside of all conversations, in a dialect that it understands. Never rejects. */
export async function askAgent(serviceUrl: string, question: Envelope, asking: AskOptions): Promise<Reply> {
  const timeout = timeoutOf(asking);
  let first: Reply | undefined;
  let doubtful: Reply | undefined;
  try {
    for (const dialect of dialectsNewestFirst) {
      const reply = await attempt(serviceUrl, question, dialect, { ...asking, signal: timeout.signal });
      if (reply.ok && !reply.isDoubtful) return { ok: true, envelope: reply.envelope };
      if (reply.ok) doubtful ??= { ok: true, envelope: reply.envelope };
      else if (reply.isMisunderstood) first ??= failed(reply.problem);
      else return doubtful ?? failed(reply.problem);
    }
  } catch (error) {
    first ??= timeout.signal.aborted
      ? { ok: false, problem: "the agent did not answer in time", isSilent: true }
      : { ok: false, problem: problemOf(error), isSilent: error instanceof DialError && noAnswerCodes.has(error.code) };
  } finally {
    timeout.end();
  }
  return doubtful ?? first ?? failed("the agent understood no dialect");
}

function failed(problem: string): Reply {
  return { ok: false, problem, isSilent: false };
}

function timeoutOf({ answerMs, signal }: AskOptions) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, answerMs);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    },
  };
}

/** `isDoubtful`: an agent that did not understand the envelope may answer this way. */
type AttemptResult =
  | { ok: true; envelope: Envelope; isDoubtful: boolean }
  | { ok: false; problem: string; isMisunderstood: boolean };

async function attempt(
  serviceUrl: string,
  question: Envelope,
  dialect: Dialect,
  asking: AskOptions,
): Promise<AttemptResult> {
  const { dialler, signal, answerBytesMax } = asking;
  const headers = { "content-type": "application/json", accept: "application/json" };
  const body = JSON.stringify(encodeEnvelope(question, dialect).document);
  const { status, body: answer } = await dialler.dial({ url: serviceUrl, body, headers, signal, connectMs });
  const text = await read(answer, answerBytesMax);
  if (status < 200 || status >= 300) {
    return {
      ok: false,
      problem: `the agent answered with status ${status}`,
      isMisunderstood: mayUnderstandOlderDialect(status),
    };
  }
  if (text === undefined) {
    return { ok: false, problem: `the answer has more than ${answerBytesMax} bytes`, isMisunderstood: false };
  }
  const parsed = parseEnvelope(text, {
    now: new Date().toISOString(),
    newId: () => crypto.randomUUID(),
    dropBadEvents: true,
    receiver: { speakerUri: question.sender.speakerUri },
  });
  if (!parsed.ok) return { ok: false, problem: "the answer is not an envelope", isMisunderstood: true };
  if (isEcho(parsed, question)) {
    return { ok: false, problem: "the agent sent the request back instead of an answer", isMisunderstood: true };
  }
  const isForeign = parsed.envelope.conversation.id !== question.conversation.id;
  return { ok: true, envelope: parsed.envelope, isDoubtful: isForeign && parsed.envelope.events.length === 0 };
}

type ParsedAnswer = Extract<ReturnType<typeof parseEnvelope>, { ok: true }>;

/** D14': the answer is our own envelope, alone or beside another one. */
function isEcho({ envelope, issues }: ParsedAnswer, question: Envelope): boolean {
  if (issues.some(({ rule }) => rule === "two-roots")) return true;
  // An agent may ask at its own address. The answer then has our speakerUri too, but other events.
  const eventTypes = ({ events }: Envelope) => events.map(({ eventType }) => eventType).join();
  const isOurs = isSameUri(envelope.sender.speakerUri, question.sender.speakerUri);
  return isOurs && envelope.events.length > 0 && eventTypes(envelope) === eventTypes(question);
}

/** Undefined when the body is too long; the rest is not read. */
async function read(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function problemOf(error: unknown): string {
  if (error instanceof DialError) return error.problem;
  return error instanceof Error ? error.message : String(error);
}

/** An agent is asked in the newest dialect first, then in the older ones while it does not understand. */
export const dialectsNewestFirst: readonly Dialect[] = ["1.1", "1.0", "0.9"];

const olderDialectStatuses: ReadonlySet<number> = new Set([400, 415, 422, 500]);

/** Whether an agent that answers with this status may understand an older dialect. */
export function mayUnderstandOlderDialect(status: number): boolean {
  return olderDialectStatuses.has(status);
}
