// How the stock web client of the NeMo Agent Toolkit renders the frames it gets: one bubble for each message of its person,
// a dialog, toasts. It has the limits and faults of that client, and records each fault that would have occurred there.
import { type Json, type Words, wrongIn } from "./frame-checks.ts";

type Step = { id: string; parent: string; name: string; payload: string };

export type Bubble = {
  /** The id of the message it answers. */
  askedBy: string;
  /** All deltas, concatenated. */
  text: string;
  /** Shown in red, as `message: details`. */
  errors: string[];
  steps: Step[];
  status: "working" | "complete" | "completed" | "failed";
  /** Present only when it came directly after the end: then the thumbs can be used. */
  trace?: string;
};

type Prompt = Json & { input_type: string; text: string; timeout: number | null; error: string };
export type Modal = { id: string; threadId: unknown; parentId: unknown; content: Prompt };

type ScreenOptions = { conversation: string; words: Words; isStock: boolean };

export type Screen = ReturnType<typeof createScreen>;

type Shown = ReturnType<typeof blank>;

function blank() {
  return {
    bubbles: [] as Bubble[],
    modal: undefined as Modal | undefined,
    /** Every prompt of the conversation, dialogs or not, in order. */
    prompts: [] as Prompt[],
    /** The texts of toasts: notifications, and dialogs that timed out. */
    notices: [] as string[],
    /** Addresses that were opened in a new tab. */
    tabs: [] as string[],
    authAnswers: [] as Json[],
    /** Frames without a request. */
    lost: [] as Json[],
    /** Frames that came after Stop. */
    ignored: [] as Json[],
    faults: [] as string[],
    /** The client sent something that the stock one never sends, so answers may come at any time. */
    isProvoking: false,
  };
}

const known = [
  ...["system_response_message", "system_intermediate_message", "system_interaction_message"],
  ...["error_message", "observability_trace_message"],
];

export function createScreen({ conversation, words, isStock }: ScreenOptions) {
  const shown = blank();
  const dialogs = createDialogs(shown, isStock);
  let phase: "idle" | "turn" | "stopped" = "idle";
  let previous: Json = {};
  let wasCut = false;
  const fault = (what: string) => shown.faults.push(what);

  // A restarted server may not know the message; the toolkit then writes this.
  const isOf = ({ parent_id: id }: Json, { askedBy }: Bubble) => id === askedBy || (wasCut && id === "default_id");
  const isAwaited = (frame: Json): boolean => {
    if (phase === "turn") return true;
    (phase === "stopped" ? shown.ignored : shown.lost).push(frame);
    if (phase === "idle" && !shown.isProvoking) fault(`lost, nobody had asked: ${JSON.stringify(frame)}`);
    return false;
  };
  const onTrace = (frame: Json, before: Json) => {
    const isInTime = before.type === "system_response_message" && before.status !== "in_progress";
    const last = shown.bubbles.at(-1);
    if (phase === "stopped" || last === undefined) return;
    if (!isInTime) fault(`a trace that is not next to its end: ${JSON.stringify(frame)}`);
    else if (!isOf(frame, last)) fault(`a trace of another message: ${JSON.stringify(frame)}`);
    else last.trace = String((frame.content as Json).observability_trace_id);
  };
  const onEnd = (frame: Json, last: Bubble) => {
    last.status = frame.status as Bubble["status"];
    phase = "idle";
    dialogs.end();
    shown.faults.push(...faultsOfBubble(last, words));
  };
  const onTurn = (frame: Json, last: Bubble) => {
    const content = frame.content as Json;
    if (frame.type === "system_intermediate_message") return addStep(frame, last);
    if (!isOf(frame, last)) fault(`not of the message ${last.askedBy}: ${JSON.stringify(frame)}`);
    if (frame.type === "system_interaction_message") return dialogs.open(frame);
    if (frame.type === "error_message") return void last.errors.push(`${content.message}: ${content.details}`);
    if (frame.status !== "in_progress") return onEnd(frame, last);
    last.text += String(content.text ?? "");
  };
  return {
    shown,
    /** The person sends a message: a new bubble begins, and all later frames belong to it. */
    asked(id: string) {
      shown.bubbles.push({ askedBy: id, text: "", errors: [], steps: [], status: "working" });
      shown.modal = undefined;
      phase = "turn";
    },
    stop() {
      phase = "stopped";
      shown.modal = undefined;
    },
    reconnected(isReload: boolean) {
      wasCut = true;
      dialogs.reconnected(isReload);
    },
    take(frame: Json) {
      const before = previous;
      previous = frame;
      for (const wrong of wrongIn(frame, words)) fault(`${String(frame.type)}: ${wrong}`);
      if (frame.type === "auth_response_message" && !isStock) return void shown.authAnswers.push(frame);
      const why = dropped(frame, conversation);
      if (why !== undefined) return void fault(`${why}: ${JSON.stringify(frame)}`);
      if (frame.type === "observability_trace_message") return onTrace(frame, before);
      const last = shown.bubbles.at(-1);
      if (isAwaited(frame) && last !== undefined) onTurn(frame, last);
    },
  };
}

/** Why the client does not show a frame. */
function dropped({ type, conversation_id: id }: Json, conversation: string): string | undefined {
  if (!known.includes(String(type))) return "a toast, unknown type";
  if (typeof id !== "string" || id === "") return "a toast, no conversation_id";
  return id === conversation ? undefined : "dropped, of another conversation";
}

/** One modal dialog at a time. */
function createDialogs(shown: Shown, isStock: boolean) {
  const ids = new Set<unknown>();
  let mayRepeat = false;
  return {
    open(frame: Json) {
      const content = frame.content as Prompt;
      shown.prompts.push(content);
      if (ids.has(frame.id)) shown.faults.push(`a prompt with an old id, so its timer stands still: ${frame.id}`);
      ids.add(frame.id);
      if (content.input_type === "notification") return void shown.notices.push(content.text);
      if (content.input_type === "oauth_consent") return void shown.tabs.push(content.text);
      if (isStock) shown.faults.push(...faultsOfDialog(content));
      const isCovered = shown.modal?.content.timeout === null && !mayRepeat;
      if (isCovered) shown.faults.push(`a second dialog over ${shown.modal?.content.text}`);
      mayRepeat = false;
      shown.modal = { id: String(frame.id), threadId: frame.thread_id, parentId: frame.parent_id, content };
    },
    end() {
      const { modal } = shown;
      if (modal?.content.timeout === null) shown.faults.push(`the turn ended under the dialog ${modal.content.text}`);
      shown.modal = undefined;
    },
    /** The dialog may be shown once more. After a reload it must be. */
    reconnected(isReload: boolean) {
      if (isReload) shown.modal = undefined;
      mayRepeat = true;
    },
  };
}

/** Frames that the stock client has no control for, or that make it crash. */
function faultsOfDialog({ input_type: type, text, options }: Prompt): string[] {
  if (type === "checkbox" || type === "dropdown") return [`the person is stuck at the ${type} ${text}`];
  const values = Array.isArray(options) ? options.map(({ value }: Json) => value) : [];
  const isDeadly = type === "binary_choice" && values.some((value) => typeof value !== "string");
  return isDeadly ? [`the page crashes at ${text}`] : [];
}

/** The same id and name again replace the earlier step. */
function addStep(frame: Json, { steps }: Bubble): void {
  const { name, payload } = frame.content as { name: string; payload: string };
  const step = { id: String(frame.id), parent: String(frame.parent_id), name, payload };
  const at = steps.findIndex((one) => one.id === step.id && one.name === name);
  steps.splice(at < 0 ? steps.length : at, at < 0 ? 0 : 1, step);
}

/** A step is shown under the step whose id is its parent's; a step with an unknown parent is shown at the top level, misplaced. */
function faultsOfBubble({ text, errors, steps }: Bubble, words: Words): string[] {
  const isHidden = errors.length > 0 && text.trim() === "" && steps.length === 0;
  const homes = new Set(["root", ...steps.map(({ id }) => id)]);
  const homeless = words === "page" ? [] : steps.filter(({ parent }) => !homes.has(parent));
  return [
    ...(isHidden ? [`an error nobody sees: ${errors.join("; ")}`] : []),
    ...homeless.map(({ name, parent }) => `the step ${name} has no parent ${parent}`),
  ];
}
