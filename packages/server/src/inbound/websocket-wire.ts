import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Running } from "../running.ts";
import type { Sink } from "./stream-gate.ts";
import type { StreamLimits } from "./stream-limits.ts";

/** What goes down one socket. */
export type Wire = { sink: Sink; send(text: string): void };

const codes = { slow: 4008, failed: 1011, closing: 1012 };
const nothing = Buffer.alloc(0);

export function createWire(
  ws: WebSocket,
  raw: Duplex,
  limits: StreamLimits,
  running: Pick<Running, "clock" | "metrics">,
): Wire {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  /** One write per tick, however many frames: with many sockets that is most of the work. */
  const flush = () => {
    if (waiting.length === 0) return;
    if (ws.readyState === ws.OPEN) raw.write(joined(waiting));
    waiting = [];
    waitingBytes = 0;
  };
  const write = (data: Buffer | string, fin = true) => {
    if (ws.readyState !== ws.OPEN) return;
    flush();
    ws.send(data, { binary: false, fin });
  };
  const writeShared = (bytes: Buffer) => {
    if (waiting.length === 0) process.nextTick(flush);
    const frame = framed(bytes);
    waiting.push(frame);
    waitingBytes += frame.length;
  };
  const cutIfFull = () => {
    if (ws.bufferedAmount <= limits.bufferedBytesMax || ws.readyState !== ws.OPEN) return;
    running.metrics.slowReaderCut();
    ws.close(codes.slow, "slow reader, connect again");
  };
  // What is wrong with the connection shows in its closing.
  ws.on("error", () => {});
  keepAlive(ws, limits, running.clock);
  return {
    send(text) {
      write(text);
      cutIfFull();
    },
    sink: {
      event(bytes, id) {
        if ("seq" in id) {
          writeShared(bytes);
          return;
        }
        // In two pieces, so that the envelope's bytes stay the ones that all viewers share.
        write(bytes.subarray(0, -1), false);
        write(`,"id":${JSON.stringify(id.cursor)}}`);
      },
      draft: (bytes) => write(bytes),
      bufferedBytes: () => ws.bufferedAmount + waitingBytes,
      // An empty write is done when all before it is; `drain` comes only when more was waiting than a stream likes.
      onceDrained: (ring) => raw.write(nothing, () => ring()),
      cut(why, advice) {
        flush();
        ws.close(codes[why], advice);
      },
    },
  };
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

/** Half-open connections are found out by their silence. */
function keepAlive(ws: WebSocket, limits: StreamLimits, clock: Running["clock"]): void {
  let misses = 0;
  const check = () => {
    if (misses >= limits.pingMissesMax) return ws.terminate();
    misses += 1;
    ws.ping();
    cancel = clock.at(clock.now() + limits.pingMs, check);
  };
  let cancel = clock.at(clock.now() + limits.pingMs, check);
  ws.on("pong", () => {
    misses = 0;
  });
  ws.on("close", () => cancel());
}
