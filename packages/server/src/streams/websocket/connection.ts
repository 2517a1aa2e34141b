import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { ServerContext } from "../../context.ts";
import type { Draft } from "../../delivery/drafts.ts";
import type { StreamLimits } from "../../limits.ts";
import type { StreamSink } from "../backpressure.ts";

/** What goes down one socket. */
export type SocketConnection = {
  sink: StreamSink;
  send(text: string): void;
  /** Sends at the end of this tick, with all other frames of the tick: one write for many frames. */
  tell(text: string | readonly Buffer[]): void;
  /** Calls back when all of it has reached the other end, which says so by its pong. */
  onceReached(ring: () => void): void;
  /** After all frames before it. */
  close(code: number, reason: string): void;
};

const codes = { slow: 4008, failed: 1011, closing: 1012, ended: 4001, gone: 4010 };
const nothing = Buffer.alloc(0);
const unreachedMax = 256;

export function createSocketConnection(
  ws: WebSocket,
  raw: Duplex,
  limits: StreamLimits,
  server: Pick<ServerContext, "metrics">,
): SocketConnection {
  // What is wrong with the connection shows in its closing.
  ws.on("error", ignore);
  return new WebSocketConnection(ws, raw, limits, server);
}

function ignore(): void {}

/** A class because there is one for each socket: thousands of them share its functions. */
class WebSocketConnection implements SocketConnection, StreamSink {
  readonly #ws: WebSocket;
  readonly #raw: Duplex;
  readonly #limits: StreamLimits;
  readonly #running: Pick<ServerContext, "metrics">;
  #waiting: Buffer[] | undefined;
  #waitingBytes = 0;
  /** The bytes that wait are reported; backpressure judges how far a reader is behind. */
  #isJudged = false;
  /** Numbers of pings, and who waits for the pong of which. */
  #mark = 0;
  #unreached: { mark: number; ring: () => void }[] | undefined;

  constructor(ws: WebSocket, raw: Duplex, limits: StreamLimits, server: Pick<ServerContext, "metrics">) {
    this.#ws = ws;
    this.#raw = raw;
    this.#limits = limits;
    this.#running = server;
  }

  get sink(): StreamSink {
    return this;
  }

  send(text: string): void {
    this.tell(text);
    this.flush();
  }

  tell(text: string | readonly Buffer[]): void {
    const ws = this.#ws;
    if (ws.readyState !== ws.OPEN) return;
    this.#writeShared(typeof text === "string" ? textFrame(text) : frameOfParts(text));
    this.#isJudged = true;
    if (this.#waitingBytes > this.#limits.bufferedBytesMax) this.#cutSlow();
  }

  onceReached(ring: () => void): void {
    if (this.#unreached === undefined) {
      this.#unreached = [];
      this.#ws.on("pong", (mark) => this.#reached(Number(mark.toString())));
    }
    this.#unreached.push({ mark: this.#mark + 1, ring });
    // A peer that never answers is not waited for.
    if (this.#unreached.length > unreachedMax) this.#unreached.shift();
    // In one write with the frames before it, so that a peer that has read them answers first.
    if (this.#waiting === undefined) this.#writeShared(nothing);
  }

  close(code: number, reason: string): void {
    this.flush();
    this.#ws.close(code, reason);
  }

  event(bytes: Buffer, id: { seq: number } | { cursor: string }): void {
    if ("seq" in id) {
      this.#writeShared(framed(bytes));
      return;
    }
    // In two pieces, so that the envelope's bytes stay the ones that all viewers share.
    this.#write(bytes.subarray(0, -1), false);
    this.#write(`,"id":${JSON.stringify(id.cursor)}}`);
  }

  draft(_: Draft, bytes: () => Buffer): void {
    this.#write(bytes());
  }

  bufferedBytes(): number {
    return this.#ws.bufferedAmount + this.#waitingBytes;
  }

  onceDrained(ring: () => void): void {
    // An empty write is done when all before it is; `drain` comes only when more was waiting than a stream likes.
    this.#raw.write(nothing, () => ring());
  }

  cut(why: keyof typeof codes, advice: string): void {
    this.close(codes[why], advice);
  }

  #write(data: Buffer | string, fin = true): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.flush();
    this.#ws.send(data, { binary: false, fin });
  }

  /** One write per tick, however many frames: with many sockets that is most of the work. */
  #writeShared(frame: Buffer): void {
    if (this.#waiting === undefined) {
      this.#waiting = [];
      flushSoon(this);
    }
    this.#waiting.push(frame);
    this.#waitingBytes += frame.length;
  }

  flush(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    this.#waitingBytes = 0;
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    if ((this.#unreached?.at(-1)?.mark ?? 0) > this.#mark) {
      this.#mark += 1;
      waiting.push(pingFrame(String(this.#mark)));
    }
    const isJudged = this.#isJudged;
    this.#isJudged = false;
    // A stream that takes more has next to nothing waiting.
    if (this.#raw.write(joined(waiting)) || !isJudged) return;
    if (this.bufferedBytes() > this.#limits.bufferedBytesMax) this.#cutSlow();
  }

  #cutSlow(): void {
    this.#running.metrics.slowReaderCut();
    this.close(codes.slow, "slow reader, connect again");
  }

  /** A pong may stand for those that were not sent before it (RFC 6455, 5.5.3). */
  #reached(mark: number): void {
    // Pongs that nobody asked for, and those of the heartbeat, are no answer.
    if (!(mark > 0 && mark <= this.#mark)) return;
    const all = this.#unreached ?? [];
    const count = all.findIndex((one) => one.mark > mark);
    for (const { ring } of all.splice(0, count === -1 ? all.length : count)) ring();
  }
}

let unflushed: WebSocketConnection[] = [];

/** At the end of this tick, all in one go: an utterance mostly goes to many sockets. */
function flushSoon(connection: WebSocketConnection): void {
  if (unflushed.length === 0) process.nextTick(flushAll);
  unflushed.push(connection);
}

function flushAll(): void {
  const wires = unflushed;
  unflushed = [];
  for (const connection of wires) connection.flush();
}

const frames = new WeakMap<Buffer, Buffer>();

/** Made once for all who get it. */
function framed(bytes: Buffer): Buffer {
  const known = frames.get(bytes);
  if (known !== undefined) return known;
  const { frame, start } = frameFor(bytes.length);
  bytes.copy(frame, start);
  frames.set(bytes, frame);
  return frame;
}

function textFrame(text: string): Buffer {
  const { frame, start } = frameFor(Buffer.byteLength(text));
  frame.write(text, start);
  return frame;
}

/** Of one text. */
function frameOfParts(parts: readonly Buffer[]): Buffer {
  let length = 0;
  for (const part of parts) length += part.length;
  const { frame, start } = frameFor(length);
  let at = start;
  for (const part of parts) {
    frame.set(part, at);
    at += part.length;
  }
  return frame;
}

const wholeText = 0x81;
const ping = 0x89;

function pingFrame(mark: string): Buffer {
  const { frame, start } = frameFor(mark.length);
  frame[0] = ping;
  frame.write(mark, start);
  return frame;
}

/** RFC 6455: a whole text frame of a server but for its text, which begins at `start`. */
function frameFor(length: number): { frame: Buffer; start: number } {
  const start = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = wholeText;
  frame[1] = start === 2 ? length : start === 4 ? 126 : 127;
  if (start === 4) frame.writeUInt16BE(length, 2);
  if (start === 10) frame.writeBigUInt64BE(BigInt(length), 2);
  return { frame, start };
}

let last: { parts: readonly Buffer[]; whole: Buffer } = { parts: [], whole: nothing };

/** Viewers of one conversation get the same frames in the same tick: they are put together once. */
function joined(parts: readonly Buffer[]): Buffer {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const isSame = parts.length === last.parts.length && parts.every((part, index) => part === last.parts[index]);
  if (!isSame) last = { parts, whole: Buffer.concat(parts) };
  return last.whole;
}
