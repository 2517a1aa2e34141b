import { setTimeout as pause } from "node:timers/promises";
import { readEventStream } from "@plenary/protocol";
import type { Agent } from "./agent.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { DialledSocket, Dialler } from "./dialler/dial.ts";
import { DialError } from "./dialler/dial-error.ts";
import { createDialler } from "./dialler.ts";

export type ConnectOptions = {
  /** The address of the floor in a browser. */
  url: string;
  token?: string;
  /** Default: the one in the manifest. */
  speakerUri?: string;
  dialler?: Dialler;
  /** Maximum wait before the first reconnection. It doubles with every attempt, up to `waitMaxMs`. */
  waitMs?: number;
  waitMaxMs?: number;
  /** Called for every failed attempt and every refused answer. The agent keeps trying. Default: the console. */
  onError?: (error: unknown) => void;
};

export type Connection = {
  /** The address of this agent for other floors (D25). */
  serviceUrl: string;
  close(): Promise<void>;
  /** Resolves after `close()`. Rejects when the floor permanently refuses this agent. */
  closed: Promise<void>;
};

/** The same as the default of `deliveriesMax`. */
const answersMax = 1_000;
const repeatsMax = 10;
const retryAfterMaxS = 60;
const takenOverCode = 4009;
const hopelessStatuses = [400, 401, 403, 404, 426];

/** Connects an agent without a public address to a floor. The agent answers over one WebSocket that it opens itself. */
export async function connect(agent: Agent, options: ConnectOptions): Promise<Connection> {
  const { url, speakerUri = agent.manifest.identification.speakerUri } = options;
  const base = new URL(url.endsWith("/") ? url : `${url}/`);
  const serviceUrl = new URL(`openfloor/at/${base64Url(speakerUri)}`, base).href;
  const socketUrl = new URL("openfloor/ws", base);
  socketUrl.protocol = base.protocol === "https:" ? "wss:" : "ws:";
  socketUrl.search = new URLSearchParams({ speaker: speakerUri, as: "agent" }).toString();
  // The developer chose the floor, so its address is not checked.
  const dialler = options.dialler ?? createDialler({ mode: "local", exemptUrls: [socketUrl.href] });
  const connection = new FloorConnection(agent, { ...options, dialler, serviceUrl, socketUrl: socketUrl.href });
  await connection.opened;
  return { serviceUrl, close: () => connection.close(), closed: connection.closed };
}

function base64Url(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
  return btoa(bytes.join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/u, "");
}

type FloorConnectionOptions = ConnectOptions & { dialler: Dialler; serviceUrl: string; socketUrl: string };

type SentAnswer = { frame: string; repeats: number };

/** The fields of a `problem` that matter here. */
type FloorProblem = { status: number; inReplyTo: string; retryAfter: number };

/** A connection to a floor that reopens when it is lost. Owns the socket and the timer between two attempts. */
class FloorConnection {
  readonly opened: Promise<void>;
  readonly closed: Promise<void>;
  readonly #agent: Agent;
  readonly #options: FloorConnectionOptions;
  readonly #over = new AbortController();
  /** Answers without an open socket, and answers to repeat. */
  readonly #unsent = new BoundedMap<SentAnswer>(answersMax);
  /** Answers that the floor may still refuse with 429 or 503. */
  readonly #sent = new BoundedMap<SentAnswer>(answersMax);
  readonly #answering = new Set<string>();
  readonly #repeats = new Set<ReturnType<typeof setTimeout>>();
  /** Deliveries answered when this socket opened. The floor does not know it yet and sends them again. */
  #answeredAtOpen = new Set<string>();
  #socket: DialledSocket | undefined;

  constructor(agent: Agent, options: FloorConnectionOptions) {
    this.#agent = agent;
    this.#options = options;
    let onOpen = () => {};
    const open = new Promise<void>((resolve) => {
      onOpen = resolve;
    });
    this.closed = this.#keepOpen(() => onOpen());
    // If it closes before it opens, opening failed.
    this.opened = Promise.race([open, this.closed]);
    this.closed.catch(() => {});
  }

  async close(): Promise<void> {
    this.#over.abort();
    for (const timer of this.#repeats) clearTimeout(timer);
    this.#socket?.close(1000, "the agent disconnects");
    await this.closed.catch(() => {});
  }

  async #keepOpen(onOpen: () => void): Promise<void> {
    const { waitMs = 500, waitMaxMs = 30_000 } = this.#options;
    let attempts = 0;
    while (!this.#over.signal.aborted) {
      try {
        await this.#openOnce(() => {
          attempts = 0;
          onOpen();
        });
      } catch (error) {
        if (this.#over.signal.aborted) return;
        this.#report(error);
        if (isHopeless(error)) throw error;
      }
      // Full jitter, so that the agents of a restarted floor do not all reconnect at once.
      const pauseMs = Math.random() * Math.min(waitMaxMs, waitMs * 2 ** attempts);
      // `close()` ends the pause.
      await pause(pauseMs, undefined, { signal: this.#over.signal }).catch(() => {});
      attempts += 1;
    }
  }

  /** Resolves when the opened socket has closed. */
  async #openOnce(onOpen: () => void): Promise<void> {
    const { dialler, socketUrl, token } = this.#options;
    // The first deliveries may arrive before `#socket` is set.
    let onOpened: () => void = () => {};
    const opened = new Promise<void>((resolve) => {
      onOpened = resolve;
    });
    let onEnd: (code: number) => void = () => {};
    const ended = new Promise<number>((resolve) => {
      onEnd = resolve;
    });
    this.#socket = await dialler.dialSocket({
      url: socketUrl,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: this.#over.signal,
      onText: (text) => {
        opened.then(() => this.#receive(text)).catch((error: unknown) => this.#report(error));
      },
      onClose: onEnd,
    });
    onOpen();
    this.#answeredAtOpen = new Set(this.#sendUnsent());
    onOpened();
    if ((await ended) === takenOverCode) throw new TakenOver("another process has connected as this agent");
  }

  async #receive(text: string): Promise<void> {
    const { delivery, delegated, baggage, traceparent, nack, problem, ...document } = JSON.parse(text);
    if (nack !== undefined) return this.#repeat(problem, `the floor refused ${nack}: ${JSON.stringify(problem)}`);
    if (typeof delivery !== "string" || this.#answeredAtOpen.delete(delivery)) return;
    const headers = {
      "plenary-delegated": delegated === true ? "1" : "0",
      ...(typeof baggage === "string" && { baggage }),
      ...(typeof traceparent === "string" && { traceparent }),
    };
    const body = JSON.stringify(document);
    const key = `${delivery} ${body}`;
    // A delivery repeated while its answer is composed gets that answer, over the socket that is open then.
    if (this.#answering.has(key)) return;
    this.#answering.add(key);
    const answer = await this.#answer(delivery, body, headers).finally(() => this.#answering.delete(key));
    const frame = JSON.stringify({ ...answer, inReplyTo: delivery });
    this.#unsent.set(delivery, { frame, repeats: 0 });
    this.#sendUnsent();
  }

  /** Repeats an answer that the floor refused for now. The floor names the answer and the seconds to wait. */
  #repeat(problem: Partial<FloorProblem> | undefined, complaint: string): void {
    const { status, inReplyTo, retryAfter = 1 } = problem ?? {};
    const isTemporary = status === 429 || status === 503;
    const answer = isTemporary && inReplyTo !== undefined ? this.#sent.get(inReplyTo) : undefined;
    if (inReplyTo === undefined || answer === undefined || answer.repeats >= repeatsMax) throw new Error(complaint);
    this.#sent.delete(inReplyTo);
    const repeat = () => {
      this.#repeats.delete(timer);
      this.#unsent.set(inReplyTo, { ...answer, repeats: answer.repeats + 1 });
      this.#sendUnsent();
    };
    const timer = setTimeout(repeat, Math.min(retryAfter, retryAfterMaxS) * 1_000);
    this.#repeats.add(timer);
  }

  /** Calls the agent with an HTTP request. The agent remembers deliveries by their id. */
  async #answer(delivery: string, body: string, more: Record<string, string>): Promise<object> {
    const { serviceUrl } = this.#options;
    const headers = {
      "content-type": "application/json",
      accept: "text/event-stream",
      "webhook-id": delivery,
      ...more,
    };
    const request = new Request(serviceUrl, { method: "POST", headers, body });
    const response = await this.#agent.fetch(request, { serviceUrl, isTrusted: true });
    if (!response.ok) throw new Error(`delivery ${delivery} could not be read: ${await response.text()}`);
    const isStream = response.headers.get("content-type") === "text/event-stream";
    if (isStream && response.body !== null) return this.#forwardDrafts(delivery, response.body);
    return JSON.parse(await response.text());
  }

  /** D30: drafts are best effort. Without an open socket a draft is lost. */
  async #forwardDrafts(delivery: string, body: ReadableStream<Uint8Array>): Promise<object> {
    for await (const { event, data } of readEventStream(body.pipeThrough(new TextDecoderStream()))) {
      const document = JSON.parse(data);
      if (event === "envelope") return document;
      this.#socket?.send(JSON.stringify({ draft: { inReplyTo: delivery, ...document } }));
    }
    throw new Error(`delivery ${delivery}: the stream of the answer ended early`);
  }

  #report(error: unknown): void {
    const { onError = (unexpected) => console.error(String(unexpected)) } = this.#options;
    onError(error);
  }

  /** Sends in order. Returns the ids of the answered deliveries. */
  #sendUnsent(): string[] {
    return this.#unsent.entries().flatMap(([delivery, answer]) => {
      if (this.#socket?.send(answer.frame) !== true) return [];
      this.#unsent.delete(delivery);
      this.#sent.set(delivery, answer);
      return [delivery];
    });
  }
}

/** Two processes that connect as the same agent would otherwise disconnect each other forever. */
class TakenOver extends Error {
  override readonly name = "TakenOver";
}

function isHopeless(error: unknown): boolean {
  if (error instanceof TakenOver) return true;
  if (!(error instanceof DialError)) return false;
  if (error.code === "refused-url" || error.code === "refused-address" || error.code === "redirect") return true;
  return error.code === "refused-upgrade" && hopelessStatuses.includes(error.status ?? 0);
}
