import {
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { envelope, type FloorEvent, invite, textUtterance } from "@plenary/protocol";
import { expect, onTestFinished, test } from "vitest";
import type { DialRequest } from "../ports/dialler.ts";
import { silentLogger } from "../ports/logger.ts";
import { createFloorServer } from "../server.ts";
import { createMemoryStore } from "../store/memory.ts";

const token = "operators-token";
const ann = "tag:people.example,2026:ann";
const bot = {
  speakerUri: "tag:bot.example,2026:bot",
  serviceUrl: "http://bot.example/hook/path-secret?key=query-secret",
};

type Recorded = {
  name: string;
  parent: SpanContext | undefined;
  context: SpanContext;
  attributes: Attributes;
  links: (SpanContext | undefined)[];
  status?: SpanStatus;
  isEnded: boolean;
};

/** Registers a tracer provider that records the spans. */
function recordSpans(flags = TraceFlags.SAMPLED): Recorded[] {
  const spans: Recorded[] = [];
  const startSpan = (name: string, options: SpanOptions = {}, within: Context): Span => {
    const parent = trace.getSpanContext(within);
    const traceId = parent?.traceId ?? "0".repeat(32);
    const context = { traceId, spanId: String(spans.length + 1).padStart(16, "0"), traceFlags: flags };
    const attributes = { ...options.attributes };
    const links = (options.links ?? []).map((link) => link.context);
    const one: Recorded = { name, parent, context, attributes, links, isEnded: false };
    spans.push(one);
    const span = {
      spanContext: () => context,
      setAttribute(key: string, value: string) {
        attributes[key] = value;
        return span;
      },
      setStatus(status: SpanStatus) {
        one.status = status;
        return span;
      },
      end() {
        one.isEnded = true;
      },
    } as unknown as Span;
    return span;
  };
  const startActiveSpan = () => {
    throw new Error("startActiveSpan is not used");
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan }) });
  onTestFinished(() => trace.disable());
  return spans;
}

type LogEntry = { kind: string; turn: string; trace?: string; event?: FloorEvent };

/** A floor with one agent, which answers with `answer`. */
async function openFloor(answer: (request: DialRequest) => { status: number; body: string }) {
  const dialled: DialRequest[] = [];
  const dial = async (request: DialRequest) => {
    dialled.push(request);
    const { status, body } = answer(request);
    const chunks = async function* () {
      yield Buffer.from(body);
    };
    return { status, headers: new Headers({ "content-type": "application/json" }), body: chunks() };
  };
  const server = await createFloorServer(
    { store: createMemoryStore(), dialler: { dial }, logger: silentLogger },
    { token, drainMs: 0 },
  );
  onTestFinished(() => server.close());
  const call = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const request = new Request(`http://127.0.0.1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { host: "127.0.0.1", authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const response = await server.fetch(request);
    expect(response.status).toBe(200);
    return (await response.json()) as { entries: LogEntry[] };
  };
  const send = (events: FloorEvent[], headers: Record<string, string> = {}) =>
    call(
      "/openfloor",
      { openFloor: envelope({ conversation: { id: "c" }, sender: { speakerUri: ann }, events }) },
      { prefer: "wait=10", ...headers },
    );
  const log = async (query = ""): Promise<LogEntry[]> => (await call(`/api/v1/conversations/c/log?${query}`)).entries;
  return { dialled, send, log };
}

const utterance = (text: string, id: string) =>
  textUtterance(text, { speakerUri: ann, id, startTime: "2026-01-01T00:00:00Z" });

const answerWith = (events: FloorEvent[]) => ({
  status: 200,
  body: JSON.stringify({ openFloor: envelope({ conversation: { id: "c" }, sender: bot, events }) }),
});

const yes = () => answerWith([]);

const caller = { trace: "4bf92f3577b34da6a3ce929d0e0e4736", span: "00f067aa0ba902b7" };

test("a turn is one trace: the decisions and each delivery attempt, with the trace id of the log", async () => {
  const spans = recordSpans();
  const reply = textUtterance("a reply", { ...bot, id: "r", startTime: "2026-01-01T00:00:00Z" });
  const floor = await openFloor(({ body }) => answerWith(body.includes("a secret word") ? [reply] : []));
  await floor.send([invite({ to: bot })]);
  await floor.send([utterance("a secret word", "w")], { traceparent: `00-${caller.trace}-${caller.span}-01` });
  const spoken = (await floor.log()).find(({ event }) => event?.eventType === "utterance");
  expect(spoken?.trace).toMatch(/^[\da-f]{32}$/u);
  // The floor asks an agent that has joined for its manifest, in a trace of its own.
  const ofTurn = spans.filter(({ context }) => context.traceId === spoken?.trace);
  const [decided, delivered, answered, ...others] = ofTurn;
  expect(others).toEqual([]);
  expect(decided).toMatchObject({
    name: "decide envelope",
    attributes: { "plenary.conversation.id": "c", "plenary.turn": spoken?.turn, "plenary.event.types": ["utterance"] },
    links: [{ traceId: caller.trace, spanId: caller.span }],
  });
  expect(delivered).toMatchObject({
    name: "deliver",
    attributes: { "plenary.outcome": "envelope", "server.address": "bot.example" },
  });
  expect(answered).toMatchObject({ name: "decide answer", attributes: { "plenary.outcome": "taken" } });
  expect(answered?.attributes["plenary.delivery"]).toBe(delivered?.attributes["plenary.delivery"]);
  expect(new Set(ofTurn.map(({ parent }) => parent?.spanId)).size).toBe(1);
  expect(ofTurn.every(({ isEnded }) => isEnded)).toBe(true);
  const headers = floor.dialled.map((request) => request.headers.traceparent);
  expect(headers).toContain(`00-${spoken?.trace}-${delivered?.context.spanId}-01`);
  for (const secret of ["word", "reply", "secret", ann]) expect(JSON.stringify(spans)).not.toContain(secret);
});

test("a failed attempt is a span with the error type and without the text of the peer", async () => {
  const spans = recordSpans();
  const floor = await openFloor(() => ({ status: 500, body: "words of the far end" }));
  await floor.send([invite({ to: bot })]);
  const attempts = spans.filter(({ name }) => name === "deliver");
  // Each dialect was tried.
  expect(attempts).toHaveLength(3);
  for (const { attributes, status } of attempts) {
    expect(attributes).toMatchObject({ "plenary.outcome": "misunderstood", "error.type": "status" });
    expect(status).toEqual({ code: SpanStatusCode.ERROR });
  }
  expect(new Set(floor.dialled.map(({ headers }) => headers.traceparent)).size).toBe(3);
  expect(JSON.stringify(spans)).not.toContain("far end");
});

test("the traceparent says that a span is not sampled", async () => {
  recordSpans(TraceFlags.NONE);
  const floor = await openFloor(yes);
  await floor.send([invite({ to: bot })]);
  expect(floor.dialled[0]?.headers.traceparent).toMatch(/^00-[\da-f]{32}-0{15}\d-00$/u);
});

test("without a tracer provider, the ids are derived from the turn and the delivery", async () => {
  const floor = await openFloor(yes);
  await floor.send([invite({ to: bot })]);
  const [opened, , invited] = await floor.log();
  expect(floor.dialled[0]?.headers.traceparent).toMatch(new RegExp(`^00-${invited?.trace}-[\\da-f]{16}-01$`, "u"));
  expect(opened?.trace).toMatch(/^[\da-f]{32}$/u);
});

test("a hidden entry has no trace, and neither has the brief log", async () => {
  const floor = await openFloor(yes);
  await floor.send([invite({ to: bot })]);
  await floor.send([{ ...utterance("psst", "w"), to: { speakerUri: bot.speakerUri, private: true } }]);
  const hidden = (await floor.log()).filter(({ kind }) => kind === "hidden");
  expect(hidden.length).toBeGreaterThan(0);
  for (const entry of hidden) expect(entry.trace).toBeUndefined();
  expect((await floor.log("view=brief")).filter(({ trace: one }) => one !== undefined)).toEqual([]);
});
