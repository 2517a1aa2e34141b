import type { NemoSettings } from "@plenary/agents";
import { credentialOf, type SchemaType } from "@plenary/nemo";
import { isLoopbackUrl } from "@plenary/server";
import type { ConfigError } from "../errors.ts";
import { envValue, type Io } from "../io.ts";
import { keyIn, nameOf, policyOf, type Setting, takesOf } from "./settings.ts";

/** The settings of the workflow agent. */
export type NemoChoice = Omit<NemoSettings, "dialler" | "onError" | "clock" | "limits" | "historyMax">;

export type NemoOptions = {
  url?: string;
  name?: string;
  policy?: string;
  synopsis?: string;
  keyphrases?: string;
  greeting?: string;
  steps?: string;
  schema?: string;
  sharedSession?: boolean;
  patience?: string;
  takes?: string;
};

type Env = Io["env"];

/** Undefined on errors; all of them are added to `errors`. */
export function parseNemo(options: NemoOptions, env: Env, errors: ConfigError[]): NemoChoice | undefined {
  const known = errors.length;
  const setting = (option: Exclude<keyof NemoOptions, "sharedSession">): Setting => {
    const text = options[option];
    return text === undefined ? undefined : { name: `--${option}`, text: text.trim() };
  };
  const token = keyIn("PLENARY_NEMO_TOKEN", env, errors);
  const { sharedSession = false } = options;
  const url = urlOf(setting("url"), { hasToken: token !== undefined, sharedSession, env }, errors);
  const name = nameOf(setting("name"), errors);
  const choice = {
    policy: policyOf(setting("policy"), errors),
    steps: oneOf(setting("steps"), stepsShown, errors),
    schemaType: oneOf(setting("schema"), schemaTypes, errors),
    ...(sharedSession && { sharedSession }),
    ...takesOf(setting("takes"), ["image", "audio", "video"], errors),
    ...timeoutOf(setting("patience"), errors),
    ...(name !== undefined && { name }),
    ...lineOf("synopsis", setting("synopsis"), errors),
    ...lineOf("greeting", setting("greeting"), errors),
    ...keyphrasesOf(setting("keyphrases"), errors),
    ...credentialsOf(token, env, errors),
  };
  if (choice.schemaType.startsWith("generate") && choice.takes?.some((layer) => layer !== "text") === true) {
    const problem = "has more than text, but a generate schema takes text only";
    errors.push({ name: "--takes", problem, fix: "give --takes text, or --schema chat_stream" });
  }
  return errors.length > known || url === undefined ? undefined : { url, ...choice };
}

const example = "ws://127.0.0.1:8000/websocket";

/** The toolkit's default WebSocket path is `/websocket`. */
function urlOf(
  setting: Setting,
  { hasToken, sharedSession, env }: { hasToken: boolean; sharedSession: boolean; env: Env },
  errors: ConfigError[],
): string | undefined {
  const wrong = (problem: string, fix: string) => void errors.push({ name: "--url", problem, fix });
  if (setting === undefined) return wrong("is missing", `give the workflow's address, as in ${example}`);
  const { text } = setting;
  const url = /^(?:ws|http)s?:\/\//iu.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return wrong("is not a ws, wss, http or https URL", `give a full URL, as in ${example}`);
  url.protocol = url.protocol.replace(/^http/u, "ws");
  if (url.pathname === "/") url.pathname = "/websocket";
  const place = `${url.protocol}//${url.host}${url.pathname}`;
  const isOpen = url.protocol === "ws:" && !isLoopbackUrl(url.href.replace(/^ws/u, "http"));
  if (url.username !== "" || url.password !== "" || text.includes("#")) {
    wrong("has more than an address", `give ${place}, and the token in PLENARY_NEMO_TOKEN`);
  } else if (url.searchParams.has("conversation_id")) {
    wrong("has a conversation_id, but each conversation has its own", `give ${place}`);
  } else if (url.searchParams.has("session") && !sharedSession) {
    wrong("has a session, but each person has their own", `give ${place}, or add --shared-session`);
  } else if (isOpen && hasToken && env.PLENARY_INSECURE_HTTP?.trim() !== "1") {
    const fix = `give wss://${url.host}${url.pathname}, or set PLENARY_INSECURE_HTTP=1 on a trusted network`;
    wrong("is not encrypted, so the token can be read in transit", fix);
  }
  return url.href;
}

const stepsShown = ["full", "names", "off"] as const;
const schemaTypes = ["chat_stream", "chat", "generate_stream", "generate"] as const satisfies readonly SchemaType[];

/** The first is the default. */
function oneOf<Word extends string>(setting: Setting, words: readonly [Word, ...Word[]], errors: ConfigError[]): Word {
  const found = setting === undefined ? words[0] : words.find((word) => word === setting.text);
  if (found === undefined && setting !== undefined) {
    const problem = `is ${JSON.stringify(setting.text)}`;
    errors.push({ name: setting.name, problem, fix: `give ${words.join(" or ")}` });
  }
  return found ?? words[0];
}

/** Less than an hour, the floor's own limit, so that the timeout message still arrives. */
const patienceMax = 3_540;

function timeoutOf(setting: Setting, errors: ConfigError[]): Pick<NemoChoice, "patienceMs"> {
  if (setting === undefined) return {};
  const seconds = Number(setting.text);
  if (!/^\d{1,4}$/u.test(setting.text) || seconds < 1 || seconds > patienceMax) {
    const fix = `give whole seconds from 1 to ${patienceMax}, such as 1800; a floor waits one hour`;
    errors.push({ name: setting.name, problem: `is ${JSON.stringify(setting.text)}`, fix });
  }
  return { patienceMs: seconds * 1_000 };
}

const lineCharsMax = 500;

function lineOf<Name extends string>(name: Name, setting: Setting, errors: ConfigError[]): { [one in Name]?: string } {
  if (setting === undefined) return {};
  if (setting.text === "" || setting.text.length > lineCharsMax || /\p{Cc}/u.test(setting.text)) {
    const fix = `give up to ${lineCharsMax} characters`;
    errors.push({ name: setting.name, problem: "is not one line of text", fix });
  }
  return { [name]: setting.text } as { [one in Name]?: string };
}

const keyphrasesMax = 64;
const keyphraseCharsMax = 100;

function keyphrasesOf(setting: Setting, errors: ConfigError[]): { keyphrases?: string[] } {
  if (setting === undefined) return {};
  const keyphrases = setting.text.split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));
  const isLong = keyphrases.some((one) => one.length > keyphraseCharsMax || /\p{Cc}/u.test(one));
  if (isLong || keyphrases.length === 0 || keyphrases.length > keyphrasesMax) {
    const fix = `give 1 to ${keyphrasesMax} of up to ${keyphraseCharsMax} characters, as in "weather, forecast"`;
    errors.push({ name: setting.name, problem: "is not a list of keyphrases", fix });
  }
  return { keyphrases };
}

/** In the upgrade request's header, or in the toolkit's `auth_message`. */
function credentialsOf(
  token: string | undefined,
  env: Env,
  errors: ConfigError[],
): Pick<NemoChoice, "headers" | "credential"> {
  const name = "PLENARY_NEMO_AUTH";
  const text = envValue(env, name);
  const way = oneOf(text === undefined ? undefined : { name, text }, ["header", "message"], errors);
  if (token === undefined) return {};
  if (way === "header") return { headers: { authorization: `Bearer ${token}` } };
  return { credential: credentialOf(token) };
}
