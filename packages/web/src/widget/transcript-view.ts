import type { LiveSnapshot } from "@plenary/client";
import { isSameUri, textOf } from "@plenary/protocol";
import { type Line, nameIn, noteText } from "@plenary/transcript";
import { type Piece, piecesOf } from "./inline-markdown.ts";
import type { WidgetTexts } from "./texts.ts";

/** Draws a snapshot into a list. Everything that others wrote stays text. */
export function createTranscriptView(list: HTMLElement, texts: WidgetTexts) {
  /** Lines do not change, so each is drawn once. */
  let drawn = new Map<Line, { item: HTMLElement; name: string }>();
  const draw = (snapshot: LiveSnapshot) => {
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    const before = drawn;
    drawn = new Map();
    const items = snapshot.lines.map((line) => {
      const name = line.kind === "utterance" ? nameIn(snapshot, line.sender) : "";
      const known = before.get(line);
      const item = known?.name === name ? known.item : itemOf(line, name, snapshot, texts);
      drawn.set(line, { item, name });
      return item;
    });
    const drafts = snapshot.drafts.map(({ speakerUri, text }) => {
      const name = nameIn(snapshot, speakerUri);
      return text === "" ? noteItem(`${texts.answering(name)} …`) : utteranceItem(name, `${text} …`);
    });
    const unsent = snapshot.unsent
      .filter(({ id }) => !snapshot.lines.some((line) => line.kind === "utterance" && line.dialogEvent.id === id))
      .map(({ text, state, problem }) => {
        const item = utteranceItem(nameIn(snapshot, snapshot.me), text);
        item.classList.add("mine");
        item.append(noteItem(`(${[texts.unsent[state], problem?.message].filter(Boolean).join(": ")})`, "span"));
        return item;
      });
    replaceItems(list, [...items, ...drafts, ...unsent]);
    if (isAtEnd) list.scrollTop = list.scrollHeight;
  };
  return { draw };
}

/** Keeps items that stay where they are, so that screen readers hear new ones only. */
function replaceItems(list: HTMLElement, items: readonly HTMLElement[]): void {
  items.forEach((item, index) => {
    const there = list.children[index];
    if (there !== item) list.insertBefore(item, there ?? null);
  });
  while (list.children.length > items.length) list.lastElementChild?.remove();
}

function itemOf(line: Line, name: string, snapshot: LiveSnapshot, texts: WidgetTexts): HTMLElement {
  if (line.kind === "note") return noteItem(noteText(line, (speakerUri) => nameIn(snapshot, speakerUri), String));
  const item = utteranceItem(line.isWhisper ? `${name} (${texts.whisper})` : name, textOf(line.dialogEvent));
  if (isSameUri(line.sender, snapshot.me)) item.classList.add("mine");
  return item;
}

function utteranceItem(name: string, text: string): HTMLElement {
  const item = document.createElement("div");
  item.part.add("line");
  const speaker = document.createElement("b");
  speaker.textContent = name;
  item.append(speaker, ...piecesOf(text).map(nodeOf));
  return item;
}

function nodeOf({ text, tag, url }: Piece): Node | string {
  if (tag === undefined) return text;
  const element = document.createElement(tag);
  element.textContent = text;
  if (element instanceof HTMLAnchorElement && url !== undefined) {
    Object.assign(element, { href: url, target: "_blank", rel: "noopener noreferrer nofollow" });
  }
  return element;
}

function noteItem(text: string, tag: "div" | "span" = "div"): HTMLElement {
  const item = document.createElement(tag);
  item.className = "note";
  item.textContent = text;
  return item;
}
