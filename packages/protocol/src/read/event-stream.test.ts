import fc from "fast-check";
import { expect, test } from "vitest";
import { EventTooLongError, readEventStream } from "./event-stream.ts";

async function read(...pieces: string[]) {
  const events: unknown[] = [];
  for await (const event of readEventStream(pieces)) events.push(event);
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

test("a hostile megabyte of line endings or unknown fields does not hide the event after it", async () => {
  for (const junk of [
    "\n".repeat(1_000_000),
    "\r\n".repeat(500_000),
    "\r\r\n".repeat(330_000),
    "x\n".repeat(500_000),
  ]) {
    expect(await read(`data: a\n\n${junk}\rdata: b\n\n`)).toEqual([
      { event: "message", data: "a" },
      { event: "message", data: "b" },
    ]);
  }
});

test("chunk boundaries do not change the events", async () => {
  const part = fc.constantFrom("data", "event", "id", "retry", ":", " ", "\r", "\n", "\r\n", "x", "7", "ä");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(part).map((parts) => parts.join(""))), async (pieces) => {
      expect(await read(...pieces)).toEqual(await read(pieces.join("")));
    }),
  );
});

test("an event above the maximum length ends the reading, after the events before it", async () => {
  const heard: string[] = [];
  const reading = async (...pieces: string[]) => {
    for await (const { data } of readEventStream(pieces, { eventCharsMax: 10 })) heard.push(data);
  };
  await expect(reading("data: a\n\ndata: ", "0123456789")).rejects.toThrow(EventTooLongError);
  await expect(reading("data: b\n\ndata: 012345\n", "data: 012345\n")).rejects.toThrow(EventTooLongError);
  expect(heard).toEqual(["a", "b"]);
});
