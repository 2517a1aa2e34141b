import { readDraftStream } from "./agent/draft-stream.ts";
import type { Agent } from "./agent.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { DialledSocket, Dialler } from "./dialler/dial.ts";
import { DialError } from "./dialler/dial-error.ts";
import { createDialler } from "./dialler.ts";

export type ConnectOptions = {
  /** Of the floor, as a browser would open it. */
  url: string;
  token?: string;
  /** Default: the one in the manifest. */
  speakerUri?: string;
  dialler?: Dialler;
  /** The first wait before connecting again; each further one is up to twice as long, and as `waitMaxMs` at most. */
  waitMs?: number;
  waitMaxMs?: number;
  /** Told of every failed attempt and every refusal; the agent goes on trying. Default: the console. */
  onError?: (error: unknown) => void;
};

export type Connection = {
  /** Where other floors reach this agent (D25). */
  serviceUrl: string;
  close(): Promise<void>;
  /** Resolves when it was closed here, rejects when the floor will not have this agent any more. */
  closed: Promise<void>;
};

/** As many as an agent remembers deliveries. */
const answersMax = 1_000;
const repeatsMax = 10;
const retryAfterMaxS = 60;
const takenOverCode = 4009;
const hopelessStatuses = [400, 401, 403, 404, 426];

/** The same agent without an address of its own: it calls the floor and answers over that one socket. */
export async function connect(agent: Agent, options: ConnectOptions): Promise<Connection> {
  const { url, speakerUri = agent.manifest.identification.speakerUri } = options;
  const base = new URL(url.endsWith("/") ? url : `${url}/`);
  const serviceUrl = new URL(`openfloor/at/${base64Url(speakerUri)}`, base).href;
  const socketUrl = new URL("openfloor/ws", base);
  socketUrl.protocol = base.protocol === "https:" ? "wss:" : "ws:";
  socketUrl.search = new URLSearchParams({ speaker: speakerUri, as: "agent" }).toString();
  // The floor is the developer's own choice, so its address is not judged.
  const dialler = options.dialler ?? createDialler({ mode: "local", exemptUrls: [socketUrl.href] });
  const line = new Line(agent, { ...options, dialler, serviceUrl, socketUrl: socketUrl.href });
  await line.opened;
  return { serviceUrl, close: () => line.close(), closed: line.closed };
}

function base64Url(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
  return btoa(bytes.join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/u, "");
}

type LineOptions = ConnectOptions & { dialler: Dialler; serviceUrl: string; socketUrl: string };

type Answer = { frame: string; repeats: number };

/** Of a `problem`, as far as it matters here. */
type Refusal = { status: number; inReplyTo: string; retryAfter: number };

/** One connection to a floor, opened again whenever it is lost. Owns the socket and the wait between two. */
class Line {
  readonly opened: Promise<void>;
  readonly closed: Promise<void>;
  readonly #agent: Agent;
  readonly #options: LineOptions;
  readonly #over = new AbortController();
  /** Answers that found no open socket, or are to be repeated. */
  readonly #unsent = new BoundedMap<Answer>(answersMax);
  /** Answers that the floor may still refuse for a while. */
  readonly #sent = new BoundedMap<Answer>(answersMax);
  readonly #answering = new Set<string>();
  readonly #repeats = new Set<ReturnType<typeof setTimeout>>();
  /** Answered when this socket was opened: the floor, which does not know that yet, sends these deliveries again. */
  #answeredAtOpen = new Set<string>();
  #socket: DialledSocket | undefined;

  constructor(agent: Agent, options: LineOptions) {
    this.#agent = agent;
    this.#options = options;
    let onOpen = () => {};
    const open = new Promise<void>((resolve) => {
      onOpen = resolve;
    });
    this.closed = this.#keepOpen(() => onOpen());
    // Before it ever opened, the end is the failure to open.
    this.opened = Promise.race([open, this.closed]);
    this.closed.catch(() => {});
  }

  async close(): Promise<void> {
    this.#over.abort();
    for (const timer of this.#repeats) clearTimeout(timer);
    this.#socket?.close(1000, "the agent is leaving");
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
      // Full jitter, so that the agents of a restarted floor do not all come back at once.
      await pause(Math.random() * Math.min(waitMaxMs, waitMs * 2 ** attempts), this.#over.signal);
      attempts += 1;
    }
  }

  /** Resolves when a socket that was open has closed. */
  async #openOnce(onOpen: () => void): Promise<void> {
    const { dialler, socketUrl, token } = this.#options;
    // The first deliveries may come before this function goes on.
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
        opened.then(() => this.#take(text)).catch((error: unknown) => this.#report(error));
      },
      onClose: onEnd,
    });
    onOpen();
    this.#answeredAtOpen = new Set(this.#sendUnsent());
    onOpened();
    if ((await ended) === takenOverCode) throw new TakenOver("another process has connected as this agent");
  }

  async #take(text: string): Promise<void> {
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
    // What comes again while its answer is composed is answered by that, over whatever socket is open then.
    if (this.#answering.has(key)) return;
    this.#answering.add(key);
    const answer = await this.#answer(delivery, body, headers).finally(() => this.#answering.delete(key));
    const frame = JSON.stringify({ ...answer, inReplyTo: delivery });
    this.#unsent.set(delivery, { frame, repeats: 0 });
    this.#sendUnsent();
  }

  /** The floor names the answer that it refused, and after how many seconds it takes it. */
  #repeat(problem: Partial<Refusal> | undefined, complaint: string): void {
    const { status, inReplyTo, retryAfter = 1 } = problem ?? {};
    const isForAWhile = status === 429 || status === 503;
    const answer = isForAWhile && inReplyTo !== undefined ? this.#sent.get(inReplyTo) : undefined;
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

  /** As if it had come by HTTP: the agent knows no other way, and remembers deliveries by their id. */
  async #answer(delivery: string, body: string, told: Record<string, string>): Promise<object> {
    const { serviceUrl } = this.#options;
    const named = { "content-type": "application/json", accept: "text/event-stream", "webhook-id": delivery };
    const headers = { ...named, ...told };
    const request = new Request(serviceUrl, { method: "POST", headers, body });
    const response = await this.#agent.fetch(request, { serviceUrl, isTrusted: true });
    if (!response.ok) throw new Error(`delivery ${delivery} could not be read: ${await response.text()}`);
    const isStream = response.headers.get("content-type") === "text/event-stream";
    if (isStream && response.body !== null) return this.#show(delivery, response.body);
    return JSON.parse(await response.text());
  }

  /** D30: drafts are best effort, so one that finds no open socket is lost. */
  async #show(delivery: string, body: ReadableStream<Uint8Array>): Promise<object> {
    for await (const { event, data } of readDraftStream(body)) {
      if (event === "envelope") return data;
      this.#socket?.send(JSON.stringify({ draft: { inReplyTo: delivery, ...data } }));
    }
    throw new Error(`delivery ${delivery}: its answer broke off`);
  }

  #report(error: unknown): void {
    const { onError = (unexpected) => console.error(String(unexpected)) } = this.#options;
    onError(error);
  }

  /** In order. Returns the deliveries that were answered. */
  #sendUnsent(): string[] {
    return this.#unsent.entries().flatMap(([delivery, answer]) => {
      if (this.#socket?.send(answer.frame) !== true) return [];
      this.#unsent.delete(delivery);
      this.#sent.set(delivery, answer);
      return [delivery];
    });
  }
}

/** Two processes that connect as the same agent would otherwise push each other out for ever. */
class TakenOver extends Error {
  override readonly name = "TakenOver";
}

function isHopeless(error: unknown): boolean {
  if (error instanceof TakenOver) return true;
  if (!(error instanceof DialError)) return false;
  if (error.code === "refused-url" || error.code === "refused-address" || error.code === "redirect") return true;
  return error.code === "refused-upgrade" && hopelessStatuses.includes(error.status ?? 0);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener("abort", wake);
    if (signal.aborted) wake();
  });
}
