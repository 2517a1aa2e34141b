import { createParser } from "eventsource-parser";

/** `event` is "message" if the sender gives no name. */
export type StreamedEvent = { event: string; data: string };

export class EventTooLongError extends Error {
  override readonly name = "EventTooLongError";
}

/** Reads Server-Sent Events as they arrive. The last event counts without its final empty line. */
export async function* readEventStream(
  pieces: AsyncIterable<string> | Iterable<string>,
  { eventCharsMax }: { eventCharsMax?: number } = {},
): AsyncGenerator<StreamedEvent> {
  const events: StreamedEvent[] = [];
  let isTooLong = false;
  const parser = createParser({
    ...(eventCharsMax !== undefined && { maxBufferSize: eventCharsMax }),
    onEvent: ({ event = "message", data }) => void events.push({ event, data }),
    onError: ({ type }) => {
      isTooLong ||= type === "max-buffer-size-exceeded";
    },
  });
  for await (const text of simplified(pieces)) {
    parser.feed(text);
    yield* events.splice(0);
    if (isTooLong) throw new EventTooLongError(`an event has more than ${eventCharsMax} characters`);
  }
}

/**
 * Lines that end in LF, and without lines that are no part of an event. The parser takes quadratic time when CR and LF are mixed
 * and makes an Error for each unknown field, so a hostile megabyte would block the process for seconds.
 */
async function* simplified(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let held = "";
  for await (const piece of pieces) {
    const text = held + piece;
    // A CR at the very end may be half of a CRLF.
    held = text.endsWith("\r") ? "\r" : "";
    const lines = text.slice(0, text.length - held.length).replaceAll(/\r\n?/gu, "\n");
    yield lines.replaceAll(/(?<=\n)(?!data[:\n]|event[:\n]|\n)[^\n]*\n/gu, "");
  }
  yield "\n\n";
}
