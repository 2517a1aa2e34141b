// The form of frames from a NeMo server, by the field tables of the toolkit and by the published page, written by
// hand: it uses no reader or writer of such frames of this project.

export type Json = Record<string, unknown>;

/** stock: as the toolkit writes it. page: as its published page says. */
export type Words = "stock" | "page";

type Kind = (value: unknown) => boolean;
type Table = Record<string, Kind>;

const text: Kind = (value) => typeof value === "string";
const words: Kind = (value) => typeof value === "string" && value !== "";
const wordsOrNull: Kind = (value) => value === null || text(value);
const seconds: Kind = (value) => value === null || (Number.isInteger(value) && Number(value) > 0);
const flag: Kind = (value) => typeof value === "boolean";
const one =
  (...allowed: unknown[]): Kind =>
  (value) =>
    allowed.includes(value);
const like =
  (pattern: RegExp): Kind =>
  (value) =>
    typeof value === "string" && pattern.test(value);

const time: Record<Words, Kind> = {
  stock: like(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{6})?\+00:00$/u),
  page: like(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/u),
};
const ended: Record<Words, readonly string[]> = { stock: ["complete"], page: ["completed", "failed"] };

const codes = [
  ...["unknown_error", "workflow_error", "invalid_message", "invalid_message_type"],
  ...["invalid_user_message_content", "invalid_data_content", "user_auth_error"],
];
/** Escaped for a client that renders it as HTML. */
const harmless = like(/^[^<]*$/u);
const harmlessWords: Kind = (value) => words(value) && harmless(value);

const anyPrompt: Table = { input_type: words, text: words, timeout: seconds, error: words };
const choice: Table = { ...anyPrompt, options: (value) => Array.isArray(value) };
const prompts: Record<string, Table> = {
  text: { ...anyPrompt, placeholder: wordsOrNull, required: flag },
  binary_choice: choice,
  radio: choice,
  checkbox: choice,
  dropdown: choice,
  notification: anyPrompt,
  oauth_consent: { ...anyPrompt, text: like(/^https?:\/\/[^\s@]{1,8000}$/u) },
};
/** The page has it for choices, too; the toolkit does not write it there. */
const alsoPrompt: Table = { required: flag };
const option: Table = { id: words, label: words, value: text };
const alsoOption: Table = { description: text };

function envelopeOf(mode: Words, isWorking = false): Table {
  return {
    type: words,
    id: words,
    thread_id: mode === "stock" ? one("default") : words,
    parent_id: words,
    conversation_id: words,
    content: (value) => typeof value === "object" && value !== null,
    status: isWorking ? one("in_progress") : one("in_progress", ...ended[mode]),
    timestamp: time[mode],
  };
}

/** All faults of a frame. */
export function wrongIn(frame: Json, mode: Words): string[] {
  const { type } = frame;
  const content = (frame.content ?? {}) as Json;
  switch (type) {
    case "system_response_message": {
      const isLast = frame.status !== "in_progress";
      return [
        ...misfits(frame, envelopeOf(mode)),
        ...misfits(content, { text: isLast ? one(null) : text }, {}, isLast ? "content of the last" : "content"),
      ];
    }
    case "system_intermediate_message": {
      const table = { ...envelopeOf(mode, true), intermediate_parent_id: words };
      const update = { update_message_id: words };
      return [
        ...misfits(frame, mode === "stock" ? { ...table, ...update } : table, update),
        ...misfits(content, { name: harmlessWords, payload: harmless }, {}, "content"),
      ];
    }
    case "error_message":
      return [
        ...misfits(frame, envelopeOf(mode, true)),
        ...misfits(content, { code: one(...codes), message: words, details: words }, {}, "content"),
      ];
    case "system_interaction_message":
      return [...misfits(frame, envelopeOf(mode, true)), ...wrongInPrompt(content)];
    case "observability_trace_message": {
      const { thread_id: _thread, status: _status, ...table } = envelopeOf(mode);
      return [...misfits(frame, table), ...misfits(content, { observability_trace_id: words }, {}, "content")];
    }
    case "auth_response_message":
      return wrongInAuth(frame, mode);
    default:
      return [`unknown type ${JSON.stringify(type)}`];
  }
}

function wrongInPrompt(content: Json): string[] {
  const table = prompts[String(content.input_type)];
  if (table === undefined) return [`unknown input_type ${JSON.stringify(content.input_type)}`];
  const options = Array.isArray(content.options) ? (content.options as Json[]) : undefined;
  const isPair = content.input_type !== "binary_choice" || options?.length === 2;
  return [
    ...misfits(content, table, alsoPrompt, "content"),
    ...(options?.length === 0 ? ["content.options is empty"] : []),
    ...(isPair ? [] : ["a binary_choice has not two options"]),
    ...(options ?? []).flatMap((each, index) => misfits(each, option, alsoOption, `content.options[${index}]`)),
  ];
}

function wrongInAuth(frame: Json, mode: Words): string[] {
  const isGood = frame.status === "success";
  const table = {
    type: words,
    status: one("success", "error"),
    timestamp: time[mode],
    user_id: isGood ? words : one(null),
    payload: isGood ? one(null) : (value: unknown) => typeof value === "object" && value !== null,
  };
  const error = { code: one("user_auth_error"), message: words, details: words };
  return [...misfits(frame, table), ...(isGood ? [] : misfits((frame.payload ?? {}) as Json, error, {}, "payload"))];
}

/** All of these fields, optionally some of those, and no others. */
function misfits(value: Json, table: Table, optional: Table = {}, at = "frame"): string[] {
  const missing = Object.keys(table).filter((name) => !(name in value));
  const strange = Object.keys(value).filter((name) => !(name in table) && !(name in optional));
  const wrong = Object.entries({ ...optional, ...table }).filter(([name, is]) => name in value && !is(value[name]));
  return [
    ...missing.map((name) => `${at}.${name} is missing`),
    ...strange.map((name) => `${at}.${name} is unknown`),
    ...wrong.map(([name]) => `${at}.${name} is ${JSON.stringify(value[name])}`),
  ];
}
