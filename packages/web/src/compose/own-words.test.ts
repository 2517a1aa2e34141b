import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Prompt } from "../model/prompts.ts";
import { useAnswer } from "../prompts/use-answer.ts";
import { type Desk, DeskContext, type Scene, SceneContext } from "../state/context.ts";
import { forgetPerson } from "../wire/keeping.ts";
import { useDraft } from "./use-draft.ts";

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
  const { draft, change } = useDraft(me, "c1");
  if (written !== undefined && draft.text !== written) change((before) => ({ ...before, text: written }));
  return draft.text;
}

const prompt: Prompt = {
  ...{ id: "q1", seq: 4, at: "2026-11-16T10:00:00Z", sender: "tag:guide", isWhisper: false, inputType: "text" },
  ...{ text: "Name?", options: [], isRequired: true },
};

function Card({ written }: Pick<Props, "written">) {
  const { values, change } = useAnswer(prompt);
  if (written !== undefined && values[0] !== written) change([written]);
  return values.join();
}

/** What the field of somebody holds when the page shows it, or after something was written in it. */
function drafted(me: string, written?: string): string {
  return renderToStaticMarkup(createElement(Field, { me, written }));
}

function answered(me: string, written?: string): string {
  const scene = { conversation: { id: "c1", me, unsent: [] }, actions: {} } as unknown as Scene;
  const card = createElement(SceneContext, { value: scene }, createElement(Card, { written }));
  return renderToStaticMarkup(createElement(DeskContext, { value: {} as Desk }, card));
}

test.each([
  ["words", drafted],
  ["answers", answered],
])("half-written %s are for whoever wrote them alone", (_, shown) => {
  shown(ann, "to my doctor");
  expect(shown(ann)).toBe("to my doctor");
  expect(shown(ben)).toBe("");
  forgetPerson(ann);
  expect(shown(ann)).toBe("");
});
