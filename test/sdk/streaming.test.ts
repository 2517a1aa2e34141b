import { type ListeningAgent, listen } from "@plenary/sdk";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { afterEach, expect, test } from "vitest";
import { ann, bodyOf, createFloor, gist, read, said, toMe } from "./minimal-floor.ts";

const opened: ListeningAgent[] = [];

afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

type Options = Parameters<typeof createFloor>[0];

async function ask(options: Options, body: string, init: RequestInit = {}) {
  const { agent, errors } = createFloor(options);
  const listening = await listen(agent, { port: 0 });
  opened.push(listening);
  const headers = { accept: "application/json, text/event-stream" };
  return { errors, response: await fetch(listening.url, { method: "POST", body, headers, ...init }) };
}

type Frame = { event: string; data: { dialogEventId: string; delta: string; to?: object; step?: object } };

async function* framesOf(response: Response): AsyncGenerator<Frame> {
  const text = response.body?.pipeThrough(new TextDecoderStream());
  for await (const { event = "", data } of text?.pipeThrough(new EventSourceParserStream()) ?? []) {
    yield { event, data: JSON.parse(data) };
  }
}

test("each part of a streamed answer arrives before the next part is made", async () => {
  let goOn = () => {};
  const { response } = await ask(
    {
      async *onUtterance() {
        yield "one ";
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        yield "two";
      },
    },
    bodyOf([said("count")]),
  );
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const frames: Frame[] = [];
  for await (const frame of framesOf(response)) {
    frames.push(frame);
    if (frame.data.delta === "one ") goOn();
  }
  expect(frames.map(({ event }) => event)).toEqual(["start", "delta", "delta", "envelope"]);
  const id = frames[0]?.data.dialogEventId;
  expect(frames[0]?.data.to).toEqual({ speakerUri: ann.speakerUri });
  expect(frames.slice(0, 3).every(({ data }) => data.dialogEventId === id)).toBe(true);
  const { events } = read(JSON.stringify(frames[3]?.data));
  expect(gist(events)).toEqual(["say: one two"]);
  expect(events).toMatchObject([{ parameters: { dialogEvent: { id } } }]);
});

const searching = { id: "1", title: "Searching flights", state: "running" } as const;

test("a step arrives before the first word is made", async () => {
  let goOn = () => {};
  const found = { ...searching, detail: "3 found", state: "done" } as const;
  const { response } = await ask(
    {
      async *onUtterance() {
        yield { step: searching };
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        yield { step: found };
        yield "three";
      },
    },
    bodyOf([said("flights?")]),
  );
  const frames: Frame[] = [];
  for await (const frame of framesOf(response)) {
    frames.push(frame);
    if (frame.event === "step") goOn();
  }
  expect(frames.map(({ event }) => event)).toEqual(["start", "step", "step", "delta", "envelope"]);
  const id = frames[0]?.data.dialogEventId;
  expect(frames.slice(1, 3).map(({ data }) => data)).toEqual([
    { dialogEventId: id, step: searching },
    { dialogEventId: id, step: found },
  ]);
  expect(JSON.stringify(frames[4])).not.toContain("Searching");
});

test.each([
  ["an empty title", { ...searching, title: "" }, /^step\/title: title is a text that is not empty; say what/u],
  ["a long title", { ...searching, title: "x".repeat(201) }, /^step\/title: .* at most 200 characters, .* has 201/u],
  ["a long id", { ...searching, id: "x".repeat(129) }, /^step\/id: .* at most 128/u],
  ["a long detail", { ...searching, detail: "x".repeat(4_097) }, /^step\/detail: .* at most 4096/u],
  ["an unknown state", { ...searching, state: "paused" as "done" }, /^step\/state: state is `running`, `done` or/u],
])("a step with %s is an error that says what to change", async (_, step, message) => {
  const { deliver, errors } = createFloor({
    async *onUtterance() {
      yield { step };
    },
  });
  expect(await deliver([said("go")])).toEqual([]);
  expect(errors).toMatchObject([{ message: expect.stringMatching(message) }]);
});

test("an endless stream of steps is aborted", async () => {
  const { deliver, errors } = createFloor({
    async *onUtterance() {
      for (;;) yield { step: { ...searching, detail: "x".repeat(4_096) } };
    },
  });
  expect(await deliver([said("count")])).toEqual([]);
  expect(errors).toMatchObject([{ message: "the streamed answer is too large" }]);
});

test("the draft of a private answer names its addressee", async () => {
  const { response } = await ask(
    {
      async *onUtterance() {
        yield "psst";
      },
    },
    bodyOf([said("hi", { ...toMe, private: true })]),
  );
  for await (const { event, data } of framesOf(response)) {
    if (event === "start") expect(data.to).toEqual({ speakerUri: ann.speakerUri, private: true });
  }
  expect.hasAssertions();
});

test("a caller that does not accept a stream gets the whole answer", async () => {
  const options: Options = {
    async *onUtterance() {
      yield "one ";
      yield "two";
    },
  };
  const { response } = await ask(options, bodyOf([said("count")]), { headers: { accept: "application/json" } });
  expect(gist(read(await response.text()).events)).toEqual(["say: one two"]);
});

test("an answer that is not a stream stays JSON for callers that accept both", async () => {
  const { response } = await ask({}, bodyOf([said("hi")]));
  expect(response.headers.get("content-type")).toMatch(/^application\/json/u);
});

const steps = { mimeType: "application/json", tokens: [{ value: { found: 3 } }] };

test("features of a stream are sent with its utterance, and its events after it", async () => {
  const { deliver } = createFloor({
    async *onUtterance({ whisper }) {
      yield whisper("psst");
      yield "one ";
      yield { features: { steps } };
      yield whisper("again");
      yield "two";
    },
  });
  const events = await deliver([said("count")]);
  expect(gist(events)).toEqual(["say: one two", "whisper: psst", "whisper: again"]);
  expect(events[0]).toMatchObject({ parameters: { dialogEvent: { features: { steps } } } });
});

test("a stream without text sends its events only", async () => {
  const { deliver } = createFloor({
    async *onUtterance({ whisper }) {
      yield { features: { steps } };
      yield whisper("psst");
    },
  });
  expect(gist(await deliver([said("count")]))).toEqual(["whisper: psst"]);
});

test("an endless stream of events is aborted", async () => {
  let isLeft = false;
  const { deliver, errors } = createFloor({
    async *onUtterance({ whisper }) {
      try {
        for (;;) yield whisper("psst");
      } finally {
        isLeft = true;
      }
    },
  });
  expect(await deliver([said("count")])).toEqual([]);
  expect(errors).toMatchObject([{ message: "the streamed answer is too large" }]);
  expect(isLeft).toBe(true);
});

test("a question may name a page to visit first", async () => {
  const url = "https://consent.example/?state=1";
  const { deliver } = createFloor({ onUtterance: ({ ask }) => ask({ text: "Allowed?", url }) });
  const [event] = await deliver([said("go")]);
  expect(event).toMatchObject({
    parameters: { dialogEvent: { features: { interaction: { tokens: [{ value: { url } }] } } } },
  });
});

test("a stream that breaks leaves no utterance", async () => {
  const { response, errors } = await ask(
    {
      async *onUtterance() {
        yield "one ";
        throw new Error("the model is gone");
      },
    },
    bodyOf([said("count")]),
  );
  let last: Frame | undefined;
  for await (const frame of framesOf(response)) last = frame;
  expect(read(JSON.stringify(last?.data)).events).toEqual([]);
  expect(errors).toMatchObject([{ message: "the model is gone" }]);
});

test("a caller that disconnects from a stream aborts it", async () => {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const { response } = await ask(
    {
      async *onUtterance({ signal }) {
        signal.addEventListener("abort", stop);
        yield "one";
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    },
    bodyOf([said("count")]),
  );
  for await (const { event } of framesOf(response)) if (event === "delta") break;
  await stopped;
});
