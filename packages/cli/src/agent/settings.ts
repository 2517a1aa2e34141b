import type { NemoSettings } from "@plenary/agents";
import type { ConfigError } from "../errors.ts";
import { envValue, type Io } from "../io.ts";

type Takes = Pick<NemoSettings, "takes">;
/** One setting of an agent: its option or variable, and its text. */
export type Setting = { name: string; text: string } | undefined;
type Layer = NonNullable<NemoSettings["takes"]>[number];

/** `text,image`: text is required, the others must be among `kinds`. */
export function takesOf(setting: Setting, kinds: readonly Layer[], errors: ConfigError[]): Takes {
  if (setting === undefined) return {};
  const known: readonly Layer[] = ["text", ...kinds];
  const named = setting.text.split(",").map((word) => word.trim());
  const takes = known.filter((layer) => named.includes(layer));
  if (!named.includes("text") || takes.length !== new Set(named).size) {
    const fix = `give text, and what else it reads: ${known.join(",")}`;
    errors.push({ name: setting.name, problem: `is ${JSON.stringify(setting.text)}`, fix });
  }
  return { takes };
}

/** From the environment only: other accounts can see options. */
export function keyIn(name: string, env: Io["env"], errors: ConfigError[]): string | undefined {
  const text = envValue(env, name);
  if (text !== undefined && !/^[\x21-\x7e]+$/u.test(text)) {
    const problem = "has a space or another character that is not allowed in a header";
    errors.push({ name, problem, fix: "copy it again, without quotes and line breaks" });
  }
  return text;
}

export function nameOf(setting: Setting, errors: ConfigError[]): string | undefined {
  if (setting !== undefined && !/^(?=.*[\p{L}\p{N}])[\p{L}\p{M}\p{N} .'_-]{1,40}$/u.test(setting.text)) {
    const fix = "give up to 40 letters, digits, spaces and .'_- such as Llama";
    errors.push({ name: setting.name, problem: "is not a name that people can type", fix });
  }
  return setting?.text;
}

export function policyOf(setting: Setting, errors: ConfigError[]): "addressed" | "open" {
  if (setting === undefined || setting.text === "addressed") return "addressed";
  if (setting.text !== "open") {
    const fix = "give addressed (answers when addressed) or open (also when a person speaks to everyone)";
    errors.push({ name: setting.name, problem: `is ${JSON.stringify(setting.text)}`, fix });
  }
  return "open";
}
