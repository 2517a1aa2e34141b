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
  let isCorked = false;
  /** One write per tick, however many frames: three times as fast with many sockets. */
  const cork = () => {
    if (isCorked) return;
    isCorked = true;
    raw.cork();
    process.nextTick(() => {
      isCorked = false;
      raw.uncork();
    });
  };
  const write = (data: Buffer | string, fin = true) => {
    if (ws.readyState !== ws.OPEN) return;
    cork();
    ws.send(data, { binary: false, fin });
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
          write(bytes);
          return;
        }
        // In two pieces, so that the envelope's bytes stay the ones that all viewers share.
        write(bytes.subarray(0, -1), false);
        write(`,"id":${JSON.stringify(id.cursor)}}`);
      },
      draft: (bytes) => write(bytes),
      bufferedBytes: () => ws.bufferedAmount,
      // An empty write is done when all before it is; `drain` comes only when more was waiting than a stream likes.
      onceDrained: (ring) => raw.write(nothing, () => ring()),
      cut: (why, advice) => ws.close(codes[why], advice),
    },
  };
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
