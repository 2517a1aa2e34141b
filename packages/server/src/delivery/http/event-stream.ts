export type StreamedEvent = { event: string; data: string };

/** Reads Server-Sent Events as they arrive: lines end in LF, CRLF or CR, an empty line ends an event. */
export async function* readEventStream(pieces: AsyncIterable<string>): AsyncGenerator<StreamedEvent> {
  let event = "";
  let data: string[] = [];
  for await (const line of linesOf(pieces)) {
    if (line === "") {
      if (data.length > 0) yield { event: event === "" ? "message" : event, data: data.join("\n") };
      event = "";
      data = [];
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /u, "");
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
  // Accepts a last event without the final empty line.
  if (data.length > 0) yield { event: event === "" ? "message" : event, data: data.join("\n") };
}

async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    const text = rest + piece;
    // A CR at the very end may be half of a CRLF.
    const end = text.endsWith("\r") ? text.length - 1 : text.length;
    const lines = text.slice(0, end).split(/\r\n|\n|\r/u);
    rest = (lines.pop() ?? "") + text.slice(end);
    yield* lines;
  }
  yield* rest.replace(/\r$/u, "").split(/\r\n|\n|\r/u);
}
