import type { NemoSettings } from "@plenary/agents";
import type { Mistake } from "../mistake.ts";

type Takes = Pick<NemoSettings, "takes">;
type Setting = { name: string; text: string } | undefined;
type Layer = NonNullable<NemoSettings["takes"]>[number];

/** `text,image`: words always, and those of `kinds` that are named. */
export function takesOf(setting: Setting, kinds: readonly Layer[], mistakes: Mistake[]): Takes {
  if (setting === undefined) return {};
  const known: readonly Layer[] = ["text", ...kinds];
  const named = setting.text.split(",").map((word) => word.trim());
  const takes = known.filter((layer) => named.includes(layer));
  if (!named.includes("text") || takes.length !== new Set(named).size) {
    const fix = `say text, and what else it reads: ${known.join(",")}`;
    mistakes.push({ name: setting.name, problem: `is ${JSON.stringify(setting.text)}`, fix });
  }
  return { takes };
}
