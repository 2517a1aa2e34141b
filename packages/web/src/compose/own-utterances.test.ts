import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Prompt } from "../prompts/read-prompts.ts";
import { useAnswer } from "../prompts/use-answer.ts";
import {
  type OpenConversation,
  OpenConversationContext,
  type PageServices,
  PageServicesContext,
} from "../state/context.ts";
import { clearPersonalData } from "../state/storage.ts";
import { useComposerText } from "./composer-text.ts";

const ann = "tag:ann";
const ben = "tag:ben";

beforeEach(() => {
  const rows = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    get length() {
      return rows.size;
    },
    key: (index: number) => [...rows.keys()][index] ?? null,
    getItem: (key: string) => rows.get(key) ?? null,
    setItem: (key: string, value: string) => void rows.set(key, value),
    removeItem: (key: string) => void rows.delete(key),
  });
});

afterEach(() => vi.unstubAllGlobals());

type Props = { me: string; written: string | undefined };

function Field({ me, written }: Props) {
  const { composerText, change } = useComposerText(me, "c1");
  if (written !== undefined && composerText.text !== written) change((before) => ({ ...before, text: written }));
  return composerText.text;
}

const prompt: Prompt = {
  id: "q1",
  seq: 4,
  at: "2026-11-16T10:00:00Z",
  sender: "tag:guide",
  isWhisper: false,
  inputType: "text",
  text: "Name?",
  options: [],
  isRequired: true,
};

function Card({ written }: Pick<Props, "written">) {
  const { values, change } = useAnswer(prompt);
  if (written !== undefined && values[0] !== written) change([written]);
  return values.join();
}

/** Content of a person's field when the page shows it, or after input. */
function drafted(me: string, written?: string): string {
  return renderToStaticMarkup(createElement(Field, { me, written }));
}

function answered(me: string, written?: string): string {
  const opened = { conversation: { id: "c1", me, unsent: [] }, actions: {} } as unknown as OpenConversation;
  const card = createElement(OpenConversationContext, { value: opened }, createElement(Card, { written }));
  return renderToStaticMarkup(createElement(PageServicesContext, { value: {} as PageServices }, card));
}

test.each([
  ["words", drafted],
  ["answers", answered],
])("unfinished %s are restored only for their author", (_, shown) => {
  shown(ann, "to my doctor");
  expect(shown(ann)).toBe("to my doctor");
  expect(shown(ben)).toBe("");
  clearPersonalData(ann);
  expect(shown(ann)).toBe("");
});
