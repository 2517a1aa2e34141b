import { readEventStream, recordOf } from "@plenary/protocol";
import type { StreamFrame } from "./contract.ts";
import { piecesOf } from "./http.ts";
import { Unreachable } from "./problem.ts";
import { frameIn, jsonIn, type StreamEnd, type StreamOptions, targetOf } from "./stream.ts";

/** The floor takes envelopes of 1 MiB. */
const eventCharsMax = 8 * 1_048_576;

/** Server-sent events. The reader's pace is the pace of the connection: what it does not take stays at the floor. */
export async function* eventFrames(options: StreamOptions): AsyncGenerator<StreamFrame, StreamEnd> {
  const { http, signal, limits } = options;
  const { body, close } = await http.stream(`/openfloor/events${targetOf(options)}`, { signal });
  try {
    options.onOpen();
    const pieces = textOf(body, () => new Unreachable(http.url, "the event stream is silent"), limits.streamSilenceMs);
    for await (const { event, data } of readEventStream(pieces, { eventCharsMax })) {
      const value = jsonIn(data);
      if (event === "end") return recordOf(value).why === "gone" ? "gone" : "cut";
      const frame = frameIn(value);
      if (frame !== undefined) yield frame;
    }
    return "cut";
  } finally {
    close();
  }
}

/** Throws after a silence: the floor sends comments while nothing happens. */
async function* textOf(body: ReadableStream<Uint8Array>, silence: () => Error, ms: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const pieces = piecesOf(body);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      const silent = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(silence()), ms);
      });
      const { done, value } = await Promise.race([pieces.next(), silent]);
      clearTimeout(timer);
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    clearTimeout(timer);
    // Not awaited: a read that never ends would block it.
    void pieces.return().catch(() => undefined);
  }
}
