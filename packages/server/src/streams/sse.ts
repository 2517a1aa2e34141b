import type { ExpiryWatch } from "../auth/expiry-watch.ts";
import type { StreamLimits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Principal } from "../ports/principal.ts";
import type { StreamSink } from "./backpressure.ts";
import { streamQueryIn, viewerRequestOf } from "./query.ts";
import type { SharedDocument } from "./shared-document.ts";
import type { Viewer } from "./viewer.ts";
import type { Viewers } from "./viewers.ts";

type Options = { viewers: Viewers; limits: StreamLimits; expiryWatch: ExpiryWatch; clock: Clock };

/** Server-Sent Events for a viewer: the log as that speaker sees it, then new entries, until the client disconnects. */
export function openEventStream(request: Request, principal: Principal, options: Options): Response {
  const query = streamQueryIn("GET /openfloor/events", new URL(request.url).searchParams, principal);
  const wanted = viewerRequestOf(query, principal, request.headers.get("last-event-id") ?? undefined);
  const { viewers, limits, expiryWatch, clock } = options;
  let viewer: Viewer | undefined;
  let output: SseOutput | undefined;
  let stopWatching = () => {};
  const end = () => {
    stopWatching();
    output?.stop();
    viewer?.close();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        output = createOutput(controller, { limits, clock, onEnd: end });
        try {
          viewer = viewers.open(wanted, output.sink);
          stopWatching = expiryWatch.watch(principal, () => output?.sink.cut("ended", "this credential has ended"));
        } catch (error) {
          end();
          throw error;
        }
      },
      pull: () => output?.drained(),
      cancel: end,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: limits.bufferedBytesHigh }),
  );
  return new Response(body, { headers: eventStreamHeaders });
}

export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // nginx would otherwise buffer the stream.
  "x-accel-buffering": "no",
};

type SseOutput = { sink: StreamSink; drained: () => void; stop: () => void };

const lineEnd = Buffer.from("\n\n");

/** All viewers of one conversation share the bytes of an event, its id included. */
function sharedEvent(document: SharedDocument, seq: number): Buffer {
  document.serverSentEvent ??= Buffer.concat([Buffer.from(`id: ${seq}\ndata: `), document.bytes, lineEnd]);
  return document.serverSentEvent;
}

function createOutput(
  controller: ReadableStreamDefaultController<Uint8Array>,
  { limits, clock, onEnd }: { limits: StreamLimits; clock: Clock; onEnd: () => void },
): SseOutput {
  let onDrained: (() => void) | undefined;
  let isOpen = true;
  const write = (...parts: Uint8Array[]) => {
    if (isOpen) controller.enqueue(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
  };
  const comment = (text: string) => write(Buffer.from(`: ${text}\n\n`));
  const sendHeartbeat = () => {
    comment("still here");
    cancelHeartbeat = clock.at(clock.now() + limits.heartbeatMs, sendHeartbeat);
  };
  let cancelHeartbeat = clock.at(clock.now() + limits.heartbeatMs, sendHeartbeat);
  const stop = () => {
    isOpen = false;
    cancelHeartbeat();
  };
  // Sent before the first event, so the client knows that it is connected.
  comment("listening");
  return {
    drained() {
      const callback = onDrained;
      onDrained = undefined;
      callback?.();
    },
    stop,
    sink: {
      event(document, id) {
        if (typeof id === "number") write(sharedEvent(document, id));
        else write(Buffer.from(`id: ${id}\ndata: `), document.bytes, lineEnd);
      },
      draft: (_, bytes) => write(Buffer.from("event: draft\ndata: "), bytes(), lineEnd),
      bufferedBytes: () => Math.max(0, limits.bufferedBytesHigh - (controller.desiredSize ?? 0)),
      onceDrained(callback) {
        onDrained = callback;
      },
      cut(why, advice) {
        if (!isOpen) return;
        write(Buffer.from(`event: end\ndata: ${JSON.stringify({ why, advice })}\n\n`));
        controller.close();
        stop();
        onEnd();
      },
    },
  };
}
