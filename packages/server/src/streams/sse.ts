import type { ExpiryWatch } from "../auth/expiry-watch.ts";
import type { StreamLimits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Principal } from "../ports/principal.ts";
import type { StreamSink } from "./backpressure.ts";
import { speakerOf, viewerRequestOf } from "./query.ts";
import type { Viewer } from "./viewer.ts";
import type { Viewers } from "./viewers.ts";

type Options = { viewers: Viewers; limits: StreamLimits; expiryWatch: ExpiryWatch; clock: Clock };

/** Server-Sent Events for a viewer: the log as that speaker sees it, then what comes, until the reader goes. */
export function openEventStream(request: Request, principal: Principal, options: Options): Response {
  const query = new URL(request.url).searchParams;
  const speaker = speakerOf(query, principal);
  const wanted = viewerRequestOf(query, speaker, principal, request.headers.get("last-event-id") ?? undefined);
  const { viewers, limits, expiryWatch, clock } = options;
  let viewer: Viewer | undefined;
  let pipe: SsePipe | undefined;
  let leave = () => {};
  const end = () => {
    leave();
    pipe?.stop();
    viewer?.close();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        pipe = createPipe(controller, { limits, clock, onEnd: end });
        try {
          viewer = viewers.open(wanted, pipe.sink);
          leave = expiryWatch.watch(principal, () => pipe?.sink.cut("ended", "this credential has ended"));
        } catch (error) {
          end();
          throw error;
        }
      },
      pull: () => pipe?.drained(),
      cancel: end,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: limits.bufferedBytesHigh }),
  );
  return new Response(body, { headers: eventStreamHeaders });
}

export const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies that gather a body before they pass it on would hold the stream back.
  "x-accel-buffering": "no",
};

type SsePipe = { sink: StreamSink; drained: () => void; stop: () => void };

const lineEnd = Buffer.from("\n\n");
const eventsOf = new WeakMap<Buffer, Buffer>();

/** All viewers of one conversation share the bytes of an event, place included. */
function sharedEvent(bytes: Buffer, seq: number): Buffer {
  const known = eventsOf.get(bytes);
  if (known !== undefined) return known;
  const event = Buffer.concat([Buffer.from(`id: ${seq}\ndata: `), bytes, lineEnd]);
  eventsOf.set(bytes, event);
  return event;
}

function createPipe(
  controller: ReadableStreamDefaultController<Uint8Array>,
  { limits, clock, onEnd }: { limits: StreamLimits; clock: Clock; onEnd: () => void },
): SsePipe {
  let ring: (() => void) | undefined;
  let isOpen = true;
  const write = (...parts: Uint8Array[]) => {
    if (isOpen) controller.enqueue(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
  };
  const comment = (text: string) => write(Buffer.from(`: ${text}\n\n`));
  const beat = () => {
    comment("still here");
    stopBeating = clock.at(clock.now() + limits.heartbeatMs, beat);
  };
  let stopBeating = clock.at(clock.now() + limits.heartbeatMs, beat);
  const stop = () => {
    isOpen = false;
    stopBeating();
  };
  // The first bytes tell the reader that it is connected, long before there is an event.
  comment("listening");
  return {
    drained() {
      const rung = ring;
      ring = undefined;
      rung?.();
    },
    stop,
    sink: {
      event(bytes, id) {
        if ("seq" in id) write(sharedEvent(bytes, id.seq));
        else write(Buffer.from(`id: ${id.cursor}\ndata: `), bytes, lineEnd);
      },
      draft: (_, bytes) => write(Buffer.from("event: draft\ndata: "), bytes(), lineEnd),
      bufferedBytes: () => Math.max(0, limits.bufferedBytesHigh - (controller.desiredSize ?? 0)),
      onceDrained(then) {
        ring = then;
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
