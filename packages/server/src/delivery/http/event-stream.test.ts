import { expect, test } from "vitest";
import { readEventStream } from "./event-stream.ts";

async function read(...pieces: string[]) {
  async function* stream() {
    yield* pieces;
  }
  const events: unknown[] = [];
  for await (const event of readEventStream(stream())) events.push(event);
  return events;
}

test("events are parsed with any line ending and at any chunk boundary", async () => {
  const expected = [
    { event: "start", data: "a" },
    { event: "message", data: "b\nc" },
  ];
  const text = "event: start\ndata: a\n\n: a comment\ndata:b\ndata: c\n\n";
  for (const ending of ["\n", "\r\n", "\r"]) {
    const written = text.replaceAll("\n", ending);
    expect(await read(written)).toEqual(expected);
    expect(await read(...written)).toEqual(expected);
  }
});

test("the last event counts without the final empty line", async () => {
  expect(await read("event: envelope\ndata: {}")).toEqual([{ event: "envelope", data: "{}" }]);
});

test("an event without data is ignored", async () => {
  expect(await read("event: start\n\nevent: x\nid: 7\n\n")).toEqual([]);
});
