import { envelope, type FloorEvent, invite, parseEnvelope, type To, textOf, textUtterance } from "@plenary/protocol";
import type { SocketRequest } from "@plenary/sdk";
import { createNemoAgent } from "../nemo/nemo.ts";
import type { NemoSettings } from "../nemo/settings.ts";

// A minimal floor, and a workflow that a test controls.

type Message = Record<string, unknown> & { type: string; id: string; conversation_id: string };

function inbox<Value>() {
  const values: Value[] = [];
  const waiting: ((value: Value) => void)[] = [];
  return {
    put(value: Value) {
      const next = waiting.shift();
      if (next === undefined) values.push(value);
      else next(value);
    },
    async take(): Promise<Value> {
      return values.shift() ?? new Promise((resolve) => waiting.push(resolve));
    },
  };
}

export type Workflow = ReturnType<typeof workflowAt>;

/** One socket, seen from the workflow. */
function workflowAt({ url, headers = {}, onText, onClose }: SocketRequest) {
  const messages = inbox<Message>();
  const state = { isOpen: true, turn: { id: "", conversation_id: "" } };
  const send = (type: string, content: object, more: object = {}) => {
    const { id: parent_id, conversation_id } = state.turn;
    onText(JSON.stringify({ type, id: "x", parent_id, conversation_id, status: "in_progress", content, ...more }));
  };
  return {
    url,
    headers,
    state,
    send,
    /** The next message to the workflow. Everything it sends from then on belongs to that turn. */
    async take(): Promise<Message> {
      const message = await messages.take();
      if (message.type === "user_message") state.turn = message;
      return message;
    },
    put: (text: string) => messages.put(JSON.parse(text)),
    delta: (text: string) => send("system_response_message", { text }),
    complete: () => send("system_response_message", { text: null }, { status: "complete" }),
    /** Ends the short wait for a trace, after which the turn is over. */
    trace: () => send("observability_trace_message", { observability_trace_id: "t1" }),
    step: (id: string, payload = "1") => send("system_intermediate_message", { name: `Tool ${id}`, payload }, { id }),
    fail: (details = "boom") => send("error_message", { code: "workflow_error", message: "ValueError", details }),
    prompt: (content: object) =>
      send("system_interaction_message", {
        input_type: "text",
        text: "?",
        timeout: null,
        error: "Too late.",
        ...content,
      }),
    drop() {
      state.isOpen = false;
      onClose(1006, "");
    },
  };
}

/** The texts of all messages in a request to the workflow. */
export function wordsIn({ content }: Message): string[] {
  const { messages } = content as { messages: { role: string; content: { text: string }[] }[] };
  return messages.map(({ role, content: [part] }) => `${role}: ${part?.text}`);
}

export const ann = person("ann", "Ann");
export const bob = person("bob", "Bob");
/** An agent: it has its own address and a synopsis. */
export const robot = { ...speaker("robot", "Robot"), serviceUrl: "https://robot.example/", synopsis: "Asks." };
const me = { speakerUri: "tag:flow.example,2025:1", serviceUrl: "https://flow.example/" };
const toMe = { speakerUri: me.speakerUri };

function person(id: string, conversationalName: string) {
  return { ...speaker(id, conversationalName), role: "User" };
}

function speaker(id: string, conversationalName: string) {
  const serviceUrl = `https://floor.example/openfloor/at/${id}`;
  return { speakerUri: `tag:${id}.example,2025:1`, serviceUrl, organization: "", conversationalName, synopsis: "" };
}

export function nemoFixture(settings: Partial<NemoSettings> = {}) {
  const sockets = inbox<Workflow>();
  const refusals: unknown[] = [];
  const errors: unknown[] = [];
  let now = 0;
  let alarms: { at: number; ring: () => void }[] = [];
  const clock = {
    now: () => now,
    after(ms: number, ring: () => void) {
      const alarm = { at: now + ms, ring };
      alarms.push(alarm);
      return () => {
        alarms = alarms.filter((one) => one !== alarm);
      };
    },
  };
  const advance = (ms: number) => {
    now += ms;
    const due = alarms.filter(({ at }) => at <= now);
    alarms = alarms.filter(({ at }) => at > now);
    for (const { ring } of due) ring();
  };
  const dialSocket = async (request: SocketRequest) => {
    if (refusals.length > 0) throw refusals.shift();
    const workflow = workflowAt(request);
    sockets.put(workflow);
    const { state } = workflow;
    return {
      send(text: string) {
        if (state.isOpen) workflow.put(text);
        return state.isOpen;
      },
      close() {
        state.isOpen = false;
      },
    };
  };
  const agent = createNemoAgent({
    url: "ws://127.0.0.1:8000/websocket",
    name: "Flow",
    ...me,
    dialler: { dialSocket },
    clock,
    onError: (error) => errors.push(error),
    ...settings,
  });
  return {
    agent,
    errors,
    advance,
    ...floorOf(agent),
    workflow: () => sockets.take(),
    refuse: (error: unknown) => refusals.push(error),
  };
}

type Options = {
  from?: typeof robot;
  to?: To | "all";
  signal?: AbortSignal;
  features?: object;
  /** The other conversants. Default: all. */
  present?: readonly (typeof robot)[];
} & Traced;
/** `id`: of the dialog event, to repeat an utterance. */
type Traced = { traceparent?: string; webhookId?: string; id?: string; accept?: string };

function floorOf(agent: ReturnType<typeof createNemoAgent>) {
  let count = 0;
  const post = (events: FloorEvent[], options: Options = {}) => {
    const { from = ann, signal, traceparent, webhookId, accept, present = [ann, bob, robot] } = options;
    const { speakerUri, serviceUrl } = from;
    const identifications = [...present, { ...speaker("flow", "Flow"), ...me, synopsis: "Flows." }];
    const whole = envelope({
      conversation: { id: "c1", conversants: identifications.map((identification) => ({ identification })) },
      sender: { speakerUri, serviceUrl },
      events,
    });
    const body = JSON.stringify({ openFloor: whole });
    const named = { ...(traceparent && { traceparent }), ...(webhookId && { "webhook-id": webhookId }) };
    const more = { headers: { ...named, ...(accept && { accept }) }, ...(signal && { signal }) };
    return agent.fetch(new Request(me.serviceUrl, { method: "POST", body, ...more }));
  };
  const deliver = async (events: FloorEvent[], options: Options = {}) => {
    const response = await post(events, options);
    const parsed = parseEnvelope(await response.text(), { now: "2025-01-31T10:05:00Z", newId: () => "new" });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    return parsed.envelope.events;
  };
  const said = (text: string, { from = ann, to = toMe, id, features }: Options) => {
    count += 1;
    const base = { speakerUri: from.speakerUri, id: id ?? `de:${count}`, startTime: "2025-01-31T10:05:00Z" };
    const addressed = to === "all" ? {} : { to };
    return [textUtterance(text, { ...base, ...addressed, ...(features && { features: { ...features } }) })];
  };
  const say = (text: string, options: Options = {}) => deliver(said(text, options), options);
  return {
    deliver,
    say,
    /** The streamed answer, piece by piece, each as JSON. */
    async *watch(text: string): AsyncGenerator<string> {
      const options = { accept: "text/event-stream" };
      const { body } = await post(said(text, options), options);
      for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) yield new TextDecoder().decode(chunk);
    },
    whisper: (text: string, options: Options = {}) => say(text, { ...options, to: { ...toMe, private: true } }),
    invite: () => deliver([invite({ to: me })]),
  };
}

/** One line per event of the agent; whispers start with their addressee. */
export function summaryOf(events: readonly FloorEvent[]): string[] {
  return events.map((event) => {
    if (event.eventType !== "utterance") return [event.eventType, event.reason].filter(Boolean).join(" ");
    const text = textOf(event.parameters.dialogEvent);
    return event.to?.private === true ? `(${nameOf(event.to.speakerUri)}) ${text}` : text;
  });
}

function nameOf(speakerUri: string | undefined): string {
  return [ann, bob, robot].find((one) => one.speakerUri === speakerUri)?.conversationalName ?? "?";
}

export function featureIn(event: FloorEvent | undefined, name: string): unknown {
  if (event?.eventType !== "utterance") return undefined;
  return event.parameters.dialogEvent.features[name]?.tokens[0]?.value;
}
