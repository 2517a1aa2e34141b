// A NeMo client over a real socket, written from the published page and from observations of the stock web client, without
// code of this project. stock-connection.ts is its socket, stock-screen.ts what it shows.
import { randomUUID } from "node:crypto";
import type { Json } from "./frame-checks.ts";
import { type LineOptions, openLine } from "./stock-connection.ts";
import { type Bubble, createScreen, type Modal, type Screen } from "./stock-screen.ts";

const patienceMs = 60_000;

export type ClientOptions = Partial<LineOptions> & Pick<LineOptions, "url">;

export type StockClient = Awaited<ReturnType<typeof openClient>>;

export async function openClient({ kind = "stock", ...options }: ClientOptions) {
  const { session = `s-${randomUUID()}`, conversation = randomUUID() } = options;
  const screenOf = createScreens(kind);
  const screen = screenOf(conversation);
  const { shown } = screen;
  let selected = screen;
  const frames: Json[] = [];
  const waiting = createWaiting(() => `${JSON.stringify(shown)}\nlast frames: ${JSON.stringify(frames.slice(-4))}`);
  const line = openLine(
    { ...options, session, conversation, kind },
    {
      onFrame(frame) {
        frames.push(frame);
        selected.take(frame);
        if (frame.type === "system_interaction_message") countDown(selected, frame, waiting.look);
        waiting.look();
      },
      onNonsense: (words) => shown.faults.push(`not a JSON object in a text frame: ${words}`),
      onAgain(isReload) {
        screen.reconnected(isReload);
        waiting.look();
      },
    },
  );
  await line.connected();
  const put = (frame: Json) => line.send(JSON.stringify(frame));
  const comeBack = async (opened: number) => {
    await waiting.until(() => line.opened() > opened, "the socket once more");
  };
  return {
    shown,
    frames,
    session,
    conversation,
    put,
    faults: shown.faults,
    until: waiting.until,
    isOpen: line.isOpen,
    opened: line.opened,
    stop: screen.stop,
    away: line.end,
    close: line.end,
    ...personOf(conversation, { screen, put, until: waiting.until }),
    /** Selects another chat of this tab, or an earlier one. All chats share the socket; selecting sends nothing. */
    chat(id: string = randomUUID()) {
      selected = screenOf(id);
      return chatOn(selected, id, { put, until: waiting.until });
    },
    /** Sends any frame, also those that the stock client never sends. */
    provoke(frame: string | Buffer | Json) {
      shown.isProvoking = true;
      const isRaw = typeof frame === "string" || Buffer.isBuffer(frame);
      line.send(isRaw ? frame : JSON.stringify(frame));
    },
    ...interruptionsOf(line, comeBack),
  };
}

/** Each waits until the client has reconnected. */
function interruptionsOf(line: ReturnType<typeof openLine>, comeBack: (opened: number) => Promise<unknown>) {
  const interrupt = async (happens: () => unknown) => {
    const opened = line.opened();
    await happens();
    await comeBack(opened);
  };
  return {
    cut: () => interrupt(() => line.cut()),
    reload: () => interrupt(() => line.reload()),
    /** Reconnects after a disconnection. */
    back: () => interrupt(() => line.back()),
    through: (happens: () => Promise<void>) => interrupt(happens),
  };
}

/** A screen for each chat. */
function createScreens(kind: LineOptions["kind"]): (conversation: string) => Screen {
  const screens = new Map<string, Screen>();
  return (conversation) => {
    const words = kind === "page" ? "page" : "stock";
    const screen = screens.get(conversation) ?? createScreen({ conversation, words, isStock: kind === "stock" });
    screens.set(conversation, screen);
    return screen;
  };
}

function chatOn(screen: Screen, id: string, means: Omit<Means, "screen">) {
  const { shown } = screen;
  return { id, shown, faults: shown.faults, ...personOf(id, { screen, ...means }) };
}

type Means = {
  screen: Screen;
  put(frame: Json): void;
  until(isSo: () => boolean, what: string): Promise<void>;
};

/** Actions of the person in front of the screen. */
function personOf(conversation: string, { screen, put, until }: Means) {
  const { shown } = screen;
  const say = (text: string, more: Json = {}): string => {
    const id = randomUUID();
    screen.asked(id);
    put({ ...userMessage(id, conversation, text), ...more });
    return id;
  };
  const last = (): Bubble => {
    const bubble = shown.bubbles.at(-1);
    if (bubble === undefined) throw new Error("nothing was asked");
    return bubble;
  };
  const done = async (): Promise<Bubble> => {
    const bubble = last();
    await until(() => bubble.status !== "working" && bubble.trace !== undefined, "the end of the turn and its trace");
    return bubble;
  };
  return {
    say,
    last,
    done,
    /** Sends the person's message, and returns the finished bubble. */
    async ask(text: string, more: Json = {}): Promise<Bubble> {
      say(text, more);
      return done();
    },
    /** Waits until the bubble shows this. */
    async sees(words: string) {
      const bubble = last();
      await until(() => bubble.text.includes(words), JSON.stringify(words));
    },
    async dialog(): Promise<Modal> {
      await until(() => shown.modal !== undefined, "a dialog");
      if (shown.modal === undefined) throw new Error("no dialog");
      return shown.modal;
    },
    /** Chooses in the dialog, or types into it. It closes at once; the prompt's own id is not sent. */
    reply(text: string) {
      const { modal } = shown;
      if (modal === undefined) throw new Error("there is no dialog to reply to");
      shown.modal = undefined;
      put(interactionMessage(conversation, text, modal));
    },
  };
}

/** The dialog closes at its timeout, and a toast says why. Nothing is sent. */
function countDown({ shown }: Screen, { id }: Json, look: () => void): void {
  const { modal } = shown;
  if (modal === undefined || modal.id !== id || typeof modal.content.timeout !== "number") return;
  const close = () => {
    if (shown.modal !== modal) return;
    shown.modal = undefined;
    shown.notices.push(modal.content.error);
    look();
  };
  setTimeout(close, modal.content.timeout * 1_000).unref();
}

/** Exactly what the web client was observed to send. */
export function userMessage(id: string, conversation: string, text: string): Json {
  return {
    type: "user_message",
    schema_type: "chat_stream",
    id,
    conversation_id: conversation,
    content: { messages: [{ role: "user", content: [{ type: "text", text }] }] },
    timestamp: new Date().toISOString(),
  };
}

export function interactionMessage(conversation: string, text: string, prompt: Partial<Modal> = {}): Json {
  return {
    type: "user_interaction_message",
    id: randomUUID(),
    conversation_id: conversation,
    thread_id: prompt.threadId ?? "default",
    parent_id: prompt.parentId ?? "default",
    content: { messages: [{ role: "user", content: [{ type: "text", text }] }] },
    timestamp: new Date().toISOString(),
  };
}

/** Checks after each change. */
function createWaiting(describe: () => string) {
  const checks = new Set<() => void>();
  return {
    look() {
      for (const check of [...checks]) check();
    },
    until: (isSo: () => boolean, what: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const end = (settle: () => void) => {
          clearTimeout(timer);
          checks.delete(check);
          settle();
        };
        const check = () => {
          if (isSo()) end(resolve);
        };
        const timer = setTimeout(() => end(() => reject(new Error(`waited for ${what}: ${describe()}`))), patienceMs);
        checks.add(check);
        check();
      }),
  };
}
