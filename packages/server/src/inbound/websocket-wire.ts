import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Running } from "../running.ts";
import type { Sink } from "./stream-gate.ts";
import type { StreamLimits } from "./stream-limits.ts";

/** What goes down one socket. */
export type Wire = { sink: Sink; send(text: string): void };

const codes = { slow: 4008, failed: 1011, closing: 1012, ended: 4001, gone: 4010 };
const nothing = Buffer.alloc(0);

export function createWire(ws: WebSocket, raw: Duplex, limits: StreamLimits, running: Pick<Running, "metrics">): Wire {
  // What is wrong with the connection shows in its closing.
  ws.on("error", ignore);
  return new SocketWire(ws, raw, limits, running);
}

function ignore(): void {}

/** A class because there is one for each socket: thousands of them share its functions. */
class SocketWire implements Wire, Sink {
  readonly #ws: WebSocket;
  readonly #raw: Duplex;
  readonly #limits: StreamLimits;
  readonly #running: Pick<Running, "metrics">;
  #waiting: Buffer[] | undefined;
  #waitingBytes = 0;

  constructor(ws: WebSocket, raw: Duplex, limits: StreamLimits, running: Pick<Running, "metrics">) {
    this.#ws = ws;
    this.#raw = raw;
    this.#limits = limits;
    this.#running = running;
  }

  get sink(): Sink {
    return this;
  }

  send(text: string): void {
    this.#write(text);
    const ws = this.#ws;
    if (ws.bufferedAmount <= this.#limits.bufferedBytesMax || ws.readyState !== ws.OPEN) return;
    this.#running.metrics.slowReaderCut();
    ws.close(codes.slow, "slow reader, connect again");
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

  draft(bytes: Buffer): void {
    this.#write(bytes);
  }

  bufferedBytes(): number {
    return this.#ws.bufferedAmount + this.#waitingBytes;
  }

  onceDrained(ring: () => void): void {
    // An empty write is done when all before it is; `drain` comes only when more was waiting than a stream likes.
    this.#raw.write(nothing, () => ring());
  }

  cut(why: keyof typeof codes, advice: string): void {
    this.#flush();
    this.#ws.close(codes[why], advice);
  }

  #write(data: Buffer | string, fin = true): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#flush();
    this.#ws.send(data, { binary: false, fin });
  }

  /** One write per tick, however many frames: with many sockets that is most of the work. */
  #writeShared(frame: Buffer): void {
    if (this.#waiting === undefined) {
      this.#waiting = [];
      process.nextTick(() => this.#flush());
    }
    this.#waiting.push(frame);
    this.#waitingBytes += frame.length;
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    this.#waitingBytes = 0;
    if (this.#ws.readyState === this.#ws.OPEN) this.#raw.write(joined(waiting));
  }
}

const frames = new WeakMap<Buffer, Buffer>();

/** RFC 6455: a whole text frame of a server, made once for all who get it. */
function framed(bytes: Buffer): Buffer {
  const known = frames.get(bytes);
  if (known !== undefined) return known;
  const frame = Buffer.concat([headOf(bytes.length), bytes]);
  frames.set(bytes, frame);
  return frame;
}

const wholeText = 0x81;

function headOf(length: number): Buffer {
  if (length < 126) return Buffer.from([wholeText, length]);
  if (length < 65_536) return Buffer.from([wholeText, 126, length >> 8, length & 0xff]);
  const head = Buffer.alloc(10);
  head[0] = wholeText;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
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
