import { readFileSync } from "node:fs";
import { getSystemErrorMap } from "node:util";
import type { LlmSettings } from "@plenary/agents";
import { isLoopbackUrl } from "@plenary/server";
import type { ConfigError } from "../errors.ts";
import { envValue, type Io } from "../io.ts";
import { httpUrlOf } from "../options.ts";
import { keyIn, nameOf, policyOf, type Setting, takesOf } from "./settings.ts";

/** The settings of the model agents. */
export type LlmChoice = Pick<LlmSettings, "baseUrl" | "model" | "key" | "name" | "instructions" | "policy" | "takes">;

/** The options; missing ones come from the environment. */
export type LlmOptions = {
  url?: string;
  model?: string;
  name?: string;
  instructions?: string;
  policy?: string;
  takes?: string;
};

type Env = Io["env"];

/** The model a floor hosts; undefined when none is configured. */
export function llmIn(env: Env, errors: ConfigError[]): LlmChoice | undefined {
  const isWanted = ["PLENARY_LLM_URL", "PLENARY_LLM_MODEL"].some((name) => envValue(env, name) !== undefined);
  return isWanted ? parseLlm({}, env, errors) : undefined;
}

/** Undefined on errors; all of them are added to `errors`. */
export function parseLlm(options: LlmOptions, env: Env, errors: ConfigError[]): LlmChoice | undefined {
  const known = errors.length;
  const setting = (option: keyof LlmOptions): Setting => settingOf(option, options, env);
  const key = keyIn("PLENARY_LLM_KEY", env, errors);
  const baseUrl = baseUrlOf(setting("url"), { hasKey: key !== undefined, env }, errors);
  const model = modelOf(setting("model"), errors);
  const name = nameOf(setting("name"), errors);
  const policy = policyOf(setting("policy"), errors);
  const instructions = instructionsOf(setting("instructions"), errors);
  const takes = takesOf(setting("takes"), ["image", "audio"], errors);
  if (errors.length > known || baseUrl === undefined || model === undefined) return undefined;
  return {
    baseUrl,
    model,
    policy,
    ...takes,
    ...(key !== undefined && { key }),
    ...(name !== undefined && { name }),
    ...(instructions !== undefined && { instructions }),
  };
}

function settingOf(option: keyof LlmOptions, options: LlmOptions, env: Env): Setting {
  const given = options[option];
  if (given !== undefined) return { name: `--${option}`, text: given.trim() };
  const name = `PLENARY_LLM_${option.toUpperCase()}`;
  const text = envValue(env, name);
  return text === undefined ? undefined : { name, text };
}

function baseUrlOf(
  setting: Setting,
  { hasKey, env }: { hasKey: boolean; env: Env },
  errors: ConfigError[],
): string | undefined {
  if (setting === undefined) {
    const fix = "set it to the model's endpoint, or give --url, such as http://127.0.0.1:11434/v1";
    errors.push({ name: "PLENARY_LLM_URL", problem: "is missing", fix });
    return undefined;
  }
  const { name, text } = setting;
  const url = httpUrlOf(text);
  const wrong = (problem: string, fix: string) => void errors.push({ name, problem, fix });
  const isOpen = url?.protocol === "http:" && !isLoopbackUrl(url.href);
  if (url === undefined) {
    wrong("is not an http or https URL", "give a full URL, such as https://models.example/v1");
  } else if (url.username !== "" || url.password !== "" || /[?#]/u.test(text)) {
    wrong("has more than an address", `give ${url.origin}${url.pathname}, and the key in PLENARY_LLM_KEY`);
  } else if (/\/chat\/completions\/*$/u.test(url.pathname)) {
    wrong("includes /chat/completions", `give ${url.href.replace(/\/chat\/completions\/*$/u, "")}; the rest is added`);
  } else if (isOpen && hasKey && env.PLENARY_INSECURE_HTTP?.trim() !== "1") {
    const fix = `give https://${url.host}${url.pathname}, or set PLENARY_INSECURE_HTTP=1 on a trusted network`;
    wrong("is plain http, so the key can be read in transit", fix);
  }
  return url?.href;
}

const modelCharsMax = 200;

function modelOf(setting: Setting, errors: ConfigError[]): string | undefined {
  const fix = "give the server's name of the model, such as llama3.2";
  if (setting === undefined) {
    errors.push({ name: "PLENARY_LLM_MODEL", problem: "is missing", fix: `${fix} (or give --model)` });
  } else if (setting.text === "" || setting.text.length > modelCharsMax || /\p{Cc}/u.test(setting.text)) {
    errors.push({ name: setting.name, problem: "is not a model name", fix });
  }
  return setting?.text;
}

const instructionsCharsMax = 16_384;

/** `@FILE` is read once. */
function instructionsOf(setting: Setting, errors: ConfigError[]): string | undefined {
  if (setting === undefined) return undefined;
  const { name } = setting;
  try {
    const text = setting.text.startsWith("@") ? readFileSync(setting.text.slice(1), "utf8").trim() : setting.text;
    if (text !== "" && text.length <= instructionsCharsMax) return text;
    const problem = text === "" ? "is empty" : `has more than ${instructionsCharsMax} characters`;
    errors.push({ name, problem, fix: "describe its task in a few sentences, or leave it out" });
  } catch (cause) {
    const { errno = 0 } = cause as NodeJS.ErrnoException;
    const why = getSystemErrorMap().get(errno)?.[1] ?? "it is not a file";
    const problem = `names a file that cannot be read (${why})`;
    errors.push({ name, problem, fix: "give @FILE, or the text itself" });
  }
  return undefined;
}
