import { type Dialect, type Envelope, encodeEnvelope, isSameUri, parseEnvelope } from "@plenary/protocol";
import { DialError, type DialErrorCode } from "./dialler/dial-error.ts";

/** As much of a dialler as a question needs: a floor has one that reaches the agents of its own process. */
export interface AskingDialler {
  dial(request: {
    url: string;
    body: string;
    headers: Readonly<Record<string, string>>;
    signal: AbortSignal;
    connectMs: number;
  }): Promise<{ status: number; body: AsyncIterable<Uint8Array> }>;
}

type Asking = {
  dialler: AskingDialler;
  signal: AbortSignal;
  answerMs: number;
  answerBytesMax: number;
};

/** `isSilent`: nothing came back, be it that it is not there or that it was waited for in vain. */
export type Reply = { ok: true; envelope: Envelope } | { ok: false; problem: string; isSilent: boolean };

const connectMs = 3_000;
const silences: ReadonlySet<DialErrorCode> = new Set(["refused-url", "refused-address", "unreachable", "timeout"]);

/** One question beside all conversations to whoever is at an address, in the dialect that it understands. Never rejects. */
export async function askAgent(serviceUrl: string, question: Envelope, asking: Asking): Promise<Reply> {
  const patience = patienceOf(asking);
  let first: Reply | undefined;
  let doubtful: Reply | undefined;
  try {
    for (const dialect of newestFirst) {
      const reply = await attempt(serviceUrl, question, dialect, { ...asking, signal: patience.signal });
      if (reply.ok && !reply.isDoubtful) return { ok: true, envelope: reply.envelope };
      if (reply.ok) doubtful ??= { ok: true, envelope: reply.envelope };
      else if (reply.isMisunderstood) first ??= failed(reply.problem);
      else return doubtful ?? failed(reply.problem);
    }
  } catch (error) {
    first ??= patience.signal.aborted
      ? { ok: false, problem: "it did not answer in time", isSilent: true }
      : { ok: false, problem: problemOf(error), isSilent: error instanceof DialError && silences.has(error.code) };
  } finally {
    patience.end();
  }
  return doubtful ?? first ?? failed("no dialect was understood");
}

function failed(problem: string): Reply {
  return { ok: false, problem, isSilent: false };
}

function patienceOf({ answerMs, signal }: Asking) {
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

/** `isDoubtful`: such as somebody sends who did not understand. */
type Attempted =
  | { ok: true; envelope: Envelope; isDoubtful: boolean }
  | { ok: false; problem: string; isMisunderstood: boolean };

async function attempt(serviceUrl: string, question: Envelope, dialect: Dialect, asking: Asking): Promise<Attempted> {
  const { dialler, signal, answerBytesMax } = asking;
  const headers = { "content-type": "application/json", accept: "application/json" };
  const body = JSON.stringify(encodeEnvelope(question, dialect).document);
  const { status, body: answer } = await dialler.dial({ url: serviceUrl, body, headers, signal, connectMs });
  const text = await read(answer, answerBytesMax);
  if (status < 200 || status >= 300) {
    return { ok: false, problem: `it answered with status ${status}`, isMisunderstood: isMisunderstanding(status) };
  }
  if (text === undefined) {
    return { ok: false, problem: `its answer has more than ${answerBytesMax} bytes`, isMisunderstood: false };
  }
  const parsed = parseEnvelope(text, {
    ...{ now: new Date().toISOString(), newId: () => crypto.randomUUID(), dropBadEvents: true },
    receiver: { speakerUri: question.sender.speakerUri },
  });
  if (!parsed.ok) return { ok: false, problem: "its answer is no envelope", isMisunderstood: true };
  if (isEcho(parsed, question)) {
    return { ok: false, problem: "it repeated the question instead of answering it", isMisunderstood: true };
  }
  const isForeign = parsed.envelope.conversation.id !== question.conversation.id;
  return { ok: true, envelope: parsed.envelope, isDoubtful: isForeign && parsed.envelope.events.length === 0 };
}

type Read = Extract<ReturnType<typeof parseEnvelope>, { ok: true }>;

/** D14': our own envelope, alone or beside another one. */
function isEcho({ envelope, issues }: Read, question: Envelope): boolean {
  if (issues.some(({ rule }) => rule === "two-roots")) return true;
  // An agent that asks at an address of its own is answered under its own name, with other events.
  const eventTypes = ({ events }: Envelope) => events.map(({ eventType }) => eventType).join();
  const isOurs = isSameUri(envelope.sender.speakerUri, question.sender.speakerUri);
  return isOurs && envelope.events.length > 0 && eventTypes(envelope) === eventTypes(question);
}

/** Undefined when it is too long; what is left of it is not read. */
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

/** Each is asked in the newest first, and in the others as long as it does not understand. */
export const newestFirst: readonly Dialect[] = ["1.1", "1.0", "0.9"];

const misunderstandings: ReadonlySet<number> = new Set([400, 415, 422, 500]);

/** Whether whoever answers with this status may understand an older dialect. */
export function isMisunderstanding(status: number): boolean {
  return misunderstandings.has(status);
}
