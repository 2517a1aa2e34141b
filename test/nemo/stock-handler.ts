// One handler per socket, as in the real server: one conversation, one running task, one open prompt.
import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import { type Prompt, type Run, type Workflow, WorkflowError } from "./stock-run.ts";
import { type Json, lastReplyText, lastUserText, type StockMessage, type StockUserMessage } from "./stock-shapes.ts";

export type Registry = {
  /** The conversations whose workflow runs. */
  handlers: Map<string, Seat>;
  timestamp: string;
  graceMs: number;
  cancelled: number;
  workflow: Workflow;
};

/** State that outlives the socket. */
type Seat = { out: WebSocket | undefined; pending: Pending | undefined; task: Task | undefined };

type Task = { controller: AbortController; conversationId: string | null; parentId: string; isStream: boolean };

type Pending = {
  task: Task;
  prompt: Prompt;
  untilMs: number | undefined;
  isSettled: boolean;
  settle(text: string): void;
};

export type Handler = {
  begin(message: StockUserMessage): void;
  /** False when no prompt is open: the real server then breaks the connection. */
  reply(message: { content: { messages: StockMessage[] } }): boolean;
  leave(): void;
};

export function createHandler(registry: Registry, socket: WebSocket, conversationId: string | null): Handler {
  const seat: Seat = { out: socket, pending: undefined, task: undefined };
  const restored = conversationId === null ? undefined : registry.handlers.get(conversationId);
  if (restored !== undefined) {
    restored.out = socket;
    // The new handler holds the question that is open now, and none that is asked later: a fault of the real server.
    seat.pending = restored.pending;
    if (restored.pending?.isSettled === false) put(restored.pending, leftOf(restored.pending), restored, registry);
  }
  return {
    begin(message) {
      if (seat.task !== undefined) {
        registry.cancelled += 1;
        seat.task.controller.abort();
      }
      seat.pending = undefined;
      work(message, seat, registry);
    },
    reply({ content }) {
      const text = lastReplyText(content.messages);
      const { pending } = seat;
      if (pending === undefined || pending.isSettled || text === undefined || text === "") return false;
      pending.settle(text);
      return true;
    },
    leave() {
      for (const one of [seat, restored]) if (one?.out === socket) one.out = undefined;
    },
  };
}

function work(message: StockUserMessage, seat: Seat, registry: Registry): void {
  const { id: parentId = "default", conversation_id: conversationId = null, schema_type, content } = message;
  const text = lastUserText(content.messages);
  const isStream = schema_type.endsWith("_stream");
  const task: Task = { controller: new AbortController(), conversationId, parentId, isStream };
  const tell = (type: string, rest: Json) => send(seat, task, { type, ...frameOf(task, registry), ...rest });
  if (schema_type.startsWith("generate") && text === undefined) {
    const details = "No user message content found.";
    // No `complete` follows.
    tell("error_message", { content: { code: "invalid_user_message_content", message: "ValueError", details } });
    return;
  }
  seat.task = task;
  if (conversationId !== null) registry.handlers.set(conversationId, seat);
  const run = runOf({ message, text: text ?? "", task, seat, registry });
  void perform(run, { task, seat, registry, tell });
}

type Tell = (type: string, rest: Json) => void;
type Stage = { task: Task; seat: Seat; registry: Registry; tell: Tell };

async function perform({ run, traces, held }: ReturnType<typeof runOf>, stage: Stage): Promise<void> {
  const { task, seat, registry, tell } = stage;
  const token = (text: string) => tell("system_response_message", { content: { text } });
  try {
    const after = await registry.workflow(run);
    token(task.isStream ? "" : held.join(""));
    after?.();
  } catch (error) {
    const message = error instanceof WorkflowError ? error.kind : "Exception";
    const details = error instanceof Error ? error.message : String(error);
    tell("error_message", { content: { code: "workflow_error", message, details } });
  }
  tell("system_response_message", { content: { text: null }, status: "complete" });
  for (const observability_trace_id of traces) {
    const { thread_id: _thread, status: _status, ...frame } = frameOf(task, registry);
    send(seat, task, { type: "observability_trace_message", ...frame, content: { observability_trace_id } });
  }
  if (seat.task === task) seat.task = undefined;
  const { conversationId } = task;
  const isListed = conversationId !== null && registry.handlers.get(conversationId) === seat;
  if (isListed && seat.task === undefined) registry.handlers.delete(conversationId);
}

function runOf({
  message,
  text,
  task,
  seat,
  registry,
}: Omit<Stage, "tell"> & { message: StockUserMessage; text: string }) {
  const traces: string[] = [];
  const held: string[] = [];
  const tell = (type: string, rest: Json) => send(seat, task, { type, ...frameOf(task, registry), ...rest });
  const prompt = (content: Json) =>
    tell("system_interaction_message", {
      content: { timeout: null, error: "This prompt is no longer available.", ...content },
    });
  const isChat = message.schema_type.startsWith("chat");
  const run: Run = {
    text,
    payload: message,
    signal: task.controller.signal,
    messages: isChat ? message.content.messages : [{ role: "user", content: [{ type: "text", text }] }],
    say: (piece) =>
      task.isStream ? tell("system_response_message", { content: { text: piece } }) : void held.push(piece ?? ""),
    step(name, payload, { id = randomUUID(), parent = "root" } = {}) {
      const more = { intermediate_parent_id: "default", update_message_id: "default" };
      tell("system_intermediate_message", { id, parent_id: parent, ...more, content: { name, payload } });
      return id;
    },
    ask: (content) => ask({ content, task, seat, registry }),
    notify: (words) => prompt({ input_type: "notification", text: words }),
    consent: (url) => prompt({ input_type: "oauth_consent", text: url }),
    trace: (id) => void traces.push(id),
    send: (frame) => send(seat, task, frame),
    raw: (words) => seat.out?.send(words),
    drop: () => seat.out?.terminate(),
  };
  return { run, traces, held };
}

type Asking = { content: Prompt; task: Task; seat: Seat; registry: Registry };

function ask({ content, task, seat, registry }: Asking): Promise<string> {
  const error = "This prompt is no longer available.";
  const whole: Prompt = { error, ...content };
  const timeoutMs = content.timeout === undefined ? undefined : content.timeout * 1_000;
  return new Promise((resolve, reject) => {
    const pending: Pending = {
      task,
      prompt: whole,
      isSettled: false,
      untilMs: timeoutMs === undefined ? undefined : performance.now() + timeoutMs,
      settle(text) {
        end();
        resolve(text);
      },
    };
    const end = () => {
      pending.isSettled = true;
      clearTimeout(timer);
    };
    const expire = () => {
      end();
      reject(new WorkflowError("TimeoutError", ""));
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs + registry.graceMs).unref();
    task.controller.signal.addEventListener("abort", end);
    seat.pending = pending;
    put(pending, content.timeout ?? null, seat, registry);
  });
}

function leftOf({ untilMs }: Pending): number | null {
  return untilMs === undefined ? null : Math.max(1, Math.floor((untilMs - performance.now()) / 1_000));
}

/** Each time with a new id. */
function put({ task, prompt }: Pending, timeout: number | null, seat: Seat, registry: Registry): void {
  const content = { ...prompt, timeout };
  send(seat, task, { type: "system_interaction_message", ...frameOf(task, registry), content });
}

function frameOf({ parentId, conversationId }: Task, { timestamp }: Registry): Json {
  const [id, thread_id, status] = [randomUUID(), "default", "in_progress"];
  return { id, thread_id, parent_id: parentId, conversation_id: conversationId, status, timestamp };
}

/** Without a client, or after a cancel, the frame is lost. */
function send({ out }: Seat, { controller }: Task, frame: Json): void {
  if (!controller.signal.aborted && out?.readyState === out?.OPEN) out?.send(JSON.stringify(frame));
}
