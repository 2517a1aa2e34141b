import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { ProcessContext } from "../../context.ts";
import type { Draft } from "../../delivery/drafts.ts";
import type { StreamLimits } from "../../limits.ts";
import type { StreamSink } from "../backpressure.ts";
import type { SharedDocument } from "../shared-document.ts";

const codes = { slow: 4008, failed: 1011, closing: 1012, ended: 4001, gone: 4010 };
const nothing = Buffer.alloc(0);
const unreachedMax = 256;

function ignore(): void {}

/** Writes to one socket. A class: thousands of sockets share its functions. */
export class SocketConnection implements StreamSink {
  readonly #ws: WebSocket;
  readonly #raw: Duplex;
  readonly #limits: StreamLimits;
  readonly #server: Pick<ProcessContext, "metrics">;
  #waiting: Buffer[] | undefined;
  #waitingBytes = 0;
  /** Set by `send`: its callers have no backpressure, so `flush` enforces the limit. */
  #isLimited = false;
  /** The number of the last ping, and the callbacks that wait for a pong. */
  #mark = 0;
  #unreached: { mark: number; callback: () => void }[] | undefined;

  constructor(ws: WebSocket, raw: Duplex, limits: StreamLimits, server: Pick<ProcessContext, "metrics">) {
    this.#ws = ws;
    this.#raw = raw;
    this.#limits = limits;
    this.#server = server;
    // The `close` event follows every error.
    ws.on("error", ignore);
  }

  /** Sends at the end of this tick, in one write with all other frames of the tick. */
  send(text: string | readonly Buffer[]): void {
    const ws = this.#ws;
    if (ws.readyState !== ws.OPEN) return;
    this.#writeShared(typeof text === "string" ? textFrame(text) : frameOfParts(text));
    this.#isLimited = true;
    if (this.#waitingBytes > this.#limits.bufferedBytesMax) this.#cutSlow();
  }

  /** Calls back when the client has received all frames so far, as its pong shows. */
  onceReached(callback: () => void): void {
    if (this.#unreached === undefined) {
      this.#unreached = [];
      this.#ws.on("pong", (mark) => this.#reached(Number(mark.toString())));
    }
    this.#unreached.push({ mark: this.#mark + 1, callback });
    // A client that sends no pongs must not fill the memory.
    if (this.#unreached.length > unreachedMax) this.#unreached.shift();
    // `flush` adds the ping after the queued frames; with none queued, an empty one starts it.
    if (this.#waiting === undefined) this.#writeShared(nothing);
  }

  /** Closes after all frames before it are sent. */
  close(code: number, reason: string): void {
    this.flush();
    this.#ws.close(code, reason);
  }

  event(document: SharedDocument, id: number | string): void {
    if (typeof id === "number") {
      document.frame ??= textFrame(JSON.stringify(document.value));
      this.#writeShared(document.frame);
      return;
    }
    // In two fragments, because all viewers share the bytes of the envelope.
    this.#write(document.bytes.subarray(0, -1), false);
    this.#write(`,"id":${JSON.stringify(id)}}`);
  }

  draft(_: Draft, bytes: () => Buffer): void {
    this.#write(bytes());
  }

  bufferedBytes(): number {
    return this.#ws.bufferedAmount + this.#waitingBytes;
  }

  onceDrained(callback: () => void): void {
    // An empty write ends after all earlier writes. `drain` would come only after the high-water mark was reached.
    this.#raw.write(nothing, () => callback());
  }

  cut(why: keyof typeof codes, advice: string): void {
    this.close(codes[why], advice);
  }

  #write(data: Buffer | string, fin = true): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.flush();
    this.#ws.send(data, { binary: false, fin });
  }

  /** One write per tick for all frames: with many sockets the writes are most of the work. */
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
    const isLimited = this.#isLimited;
    this.#isLimited = false;
    // `write` returns true when little is buffered.
    if (this.#raw.write(joined(waiting)) || !isLimited) return;
    if (this.bufferedBytes() > this.#limits.bufferedBytesMax) this.#cutSlow();
  }

  #cutSlow(): void {
    this.#server.metrics.slowReaderCut();
    this.close(codes.slow, "slow reader, connect again");
  }

  /** One pong may answer several pings (RFC 6455, 5.5.3). */
  #reached(mark: number): void {
    // Ignores unsolicited pongs and those of the heartbeat.
    if (!(mark > 0 && mark <= this.#mark)) return;
    const all = this.#unreached ?? [];
    const count = all.findIndex((one) => one.mark > mark);
    for (const { callback } of all.splice(0, count === -1 ? all.length : count)) callback();
  }
}

let unflushed: SocketConnection[] = [];

/** All sockets share one `nextTick`: most utterances go to many sockets. */
function flushSoon(connection: SocketConnection): void {
  if (unflushed.length === 0) process.nextTick(flushAll);
  unflushed.push(connection);
}

function flushAll(): void {
  const connections = unflushed;
  unflushed = [];
  for (const connection of connections) connection.flush();
  last = noFrames;
}

function textFrame(text: string): Buffer {
  const { frame, start } = frameFor(Buffer.byteLength(text));
  frame.write(text, start);
  return frame;
}

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

/** RFC 6455: an unfragmented text frame of a server, without its text, which begins at `start`. */
function frameFor(length: number): { frame: Buffer; start: number } {
  const start = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(start + length);
  frame[0] = wholeText;
  frame[1] = start === 2 ? length : start === 4 ? 126 : 127;
  if (start === 4) frame.writeUInt16BE(length, 2);
  if (start === 10) frame.writeBigUInt64BE(BigInt(length), 2);
  return { frame, start };
}

type JoinedFrames = { parts: readonly Buffer[]; whole: Buffer };

const noFrames: JoinedFrames = { parts: [], whole: nothing };
/** Until the end of the tick: these frames may be erased afterwards. */
let last = noFrames;

/** Viewers of one conversation get the same frames in the same tick, so these are joined once. */
function joined(parts: readonly Buffer[]): Buffer {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const isSame = parts.length === last.parts.length && parts.every((part, index) => part === last.parts[index]);
  if (!isSame) last = { parts, whole: Buffer.concat(parts) };
  return last.whole;
}
