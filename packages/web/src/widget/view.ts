import type { Conversation, LiveConversation } from "@plenary/client";
import type { Question } from "@plenary/transcript";
import type { WidgetTexts } from "./texts.ts";
import { createTranscriptView } from "./transcript-view.ts";
import styles from "./widget.css?inline";

/** The elements of the widget, in its shadow tree. */
export function createView(root: ShadowRoot, texts: WidgetTexts, heading: string) {
  const parts = createParts(texts, heading);
  const style = new CSSStyleSheet();
  style.replaceSync(styles);
  root.adoptedStyleSheets = [style];
  const input = takeInput(parts);
  root.replaceChildren(parts.head, parts.list, parts.options, parts.state, parts.form);
  const showState = (text: string) => {
    if (parts.state.textContent !== text) parts.state.textContent = text;
  };
  return {
    showState,
    /** Shows the conversation, and sends what is typed. */
    connect(live: LiveConversation, talk: Conversation, onState: (state: string) => void) {
      const transcript = createTranscriptView(parts.list, texts);
      const say = (text: string) => void talk.say(text).catch(() => undefined); // the list shows why it was not sent
      let last = "";
      const update = () => {
        const snapshot = live.snapshot();
        const { connection, problem, questions } = snapshot;
        transcript.draw(snapshot);
        const question = questions.at(-1);
        drawQuestion(parts.options, question, (values) => {
          if (question !== undefined) void talk.answer(question, values).catch(() => undefined);
        });
        const { isClosed } = snapshot.view;
        input.listen(connection === "gone" || connection === "loading" || isClosed ? undefined : say);
        if (isClosed) showState(texts.closed);
        else if (connection === "live") showState("");
        else if (connection === "gone") showState(problem?.message ?? texts.gone);
        else showState(connection === "loading" ? texts.connecting : texts.reconnecting);
        if (connection !== last) onState(connection);
        last = connection;
      };
      live.subscribe(update);
      update();
    },
  };
}

type Parts = ReturnType<typeof createParts>;

function createParts(texts: WidgetTexts, heading: string) {
  const make = <Tag extends keyof HTMLElementTagNameMap>(tag: Tag, part: string) => {
    const element = document.createElement(tag);
    element.part.add(part);
    return element;
  };
  const [head, list, state] = [make("header", "heading"), make("div", "lines"), make("p", "state")];
  const [options, form] = [make("div", "options"), make("form", "form")];
  const [field, send] = [make("textarea", "field"), make("button", "send")];
  head.textContent = heading;
  list.tabIndex = 0;
  list.role = "log";
  list.ariaLabel = heading;
  state.className = "state";
  state.role = "status";
  options.className = "options";
  field.rows = 1;
  field.ariaLabel = texts.field;
  field.placeholder = texts.field;
  send.textContent = texts.send;
  send.disabled = true;
  form.append(field, send);
  return { head, list, state, options, form, field, send };
}

/** A text that is sent before the conversation is open waits for it. */
function takeInput({ form, field, send }: Parts) {
  let say: ((text: string) => void) | undefined;
  let isWaiting = false;
  const submit = () => {
    const text = field.value.trim();
    isWaiting = say === undefined && text !== "";
    if (say === undefined || text === "") return;
    field.value = "";
    say(text);
  };
  form.onsubmit = (event) => {
    event.preventDefault();
    submit();
  };
  field.onkeydown = (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  };
  return {
    /** Undefined: nothing can be said now. */
    listen(next: ((text: string) => void) | undefined): void {
      say = next;
      send.disabled = next === undefined;
      if (next !== undefined && isWaiting) submit();
    },
  };
}

/** The newest open question, if it has options; others are answered by text. */
function drawQuestion(place: HTMLElement, question: Question | undefined, answer: (values: string[]) => void): void {
  if (place.dataset.question === (question?.id ?? "")) return;
  place.dataset.question = question?.id ?? "";
  place.replaceChildren();
  if (question === undefined || question.options.length === 0) return;
  const text = document.createElement("p");
  text.textContent = question.text;
  place.append(text);
  for (const { label, value } of question.options) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.onclick = () => answer([value]);
    place.append(button);
  }
}
