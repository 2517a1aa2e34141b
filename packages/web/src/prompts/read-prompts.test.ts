import type { DialogEvent } from "@plenary/protocol";
import type { TranscriptEntry as Entry } from "@plenary/transcript";
import { expect, test } from "vitest";
import { createPromptReader, promptsOf } from "./read-prompts.ts";

const guide = "tag:guide";
const ann = "tag:ann";
const ben = "tag:ben";
const at = "2026-11-16T10:00:00.000Z";
const mimeType = "application/vnd.plenary.interaction+json";

type Features = DialogEvent["features"];
type Said = {
  by: string;
  text?: string;
  to?: string;
  private?: boolean;
  features?: Features;
  turn?: string;
  at?: string;
};

function log(...said: Said[]): Entry[] {
  return said.map(({ by, text = "words", to, private: isPrivate, features, turn = "t1", at: when = at }, index) => ({
    seq: index + 1,
    at: when,
    turn,
    kind: "event",
    sender: by,
    event: {
      eventType: "utterance",
      ...(to !== undefined && { to: { speakerUri: to, ...(isPrivate && { private: true }) } }),
      parameters: {
        dialogEvent: {
          id: `de-${index + 1}`,
          speakerUri: by,
          span: { startTime: when },
          features: { ...features, text: { mimeType: "text/plain", tokens: [{ value: text }] } },
        },
      },
    },
  }));
}

/** Those who are here: two people and an agent. */
const here = [ann, ben, guide].map((speakerUri) => ({
  identification: { speakerUri, serviceUrl: "", organization: "", conversationalName: "", synopsis: "" },
  kind: speakerUri === guide ? ("agent" as const) : ("person" as const),
}));

const asking = (value: Record<string, unknown> | string): Features => ({
  interaction: { mimeType, tokens: [{ value }] },
});
const replying = (id: string, values: unknown[]): Features => ({
  interactionReply: { mimeType, tokens: [{ value: { id, values } }] },
});
const tea = {
  id: "q1",
  input_type: "radio",
  text: "Tea?",
  options: [{ id: "a", label: "Green", value: "green" }, { label: "Black" }],
};
const name = { id: "q2", input_type: "text", text: "Your name?" };

test("a question is read with all fields, and its timeout starts when the floor accepted it", () => {
  const value = {
    ...tea,
    required: false,
    placeholder: "which",
    timeout: 42,
    error: "Too late.",
    url: "https://a.example/",
  };
  expect(promptsOf(log({ by: guide, to: ann, private: true, features: asking(value) }))).toEqual([
    {
      id: "q1",
      seq: 1,
      at,
      sender: guide,
      to: ann,
      isWhisper: true,
      inputType: "radio",
      text: "Tea?",
      options: [
        { id: "a", label: "Green", value: "green" },
        { id: "2", label: "Black", value: "Black" },
      ],
      isRequired: false,
      placeholder: "which",
      untilMs: Date.parse(at) + 42_000,
      error: "Too late.",
      url: "https://a.example/",
    },
  ]);
});

test("a question as a JSON text, or under a custom feature name, is read the same way", () => {
  const [written] = promptsOf(log({ by: guide, features: asking(JSON.stringify(tea)) }));
  const [renamed] = promptsOf(log({ by: guide, features: { ask: { mimeType, tokens: [{ value: tea }] } } }));
  expect(written?.options).toHaveLength(2);
  expect(renamed).toEqual(written);
});

test("missing fields of a question get defaults", () => {
  const [prompt] = promptsOf(log({ by: guide, text: "Well?", features: asking({ input_type: "slider", timeout: 0 }) }));
  expect(prompt).toMatchObject({ id: "de-1", text: "Well?", inputType: "text", options: [], isRequired: true });
  expect(prompt).not.toHaveProperty("untilMs");
  expect(promptsOf(log({ by: guide, features: asking({ ...tea, timeout: null }) }))[0]).not.toHaveProperty("untilMs");
});

test("an unknown input type or a choice without options becomes text, and yes or no needs no options", () => {
  const typeOf = (value: Record<string, unknown>) => promptsOf(log({ by: guide, features: asking(value) }))[0];
  expect(typeOf({ ...tea, input_type: "wheel" })?.inputType).toBe("text");
  expect(typeOf({ input_type: "radio", text: "?" })?.inputType).toBe("text");
  expect(typeOf({ ...tea, input_type: undefined })?.inputType).toBe("radio");
  expect(typeOf({ input_type: "binary_choice", text: "?" })?.options.map(({ value }) => value)).toEqual(["yes", "no"]);
});

test("options may be strings or hold any value", () => {
  const [prompt] = promptsOf(
    log({ by: guide, features: asking({ options: ["One", { label: "Two", value: true }, null, {}] }) }),
  );
  expect(prompt?.options).toEqual([
    { id: "1", label: "One", value: "One" },
    { id: "2", label: "Two", value: "true" },
  ]);
});

test("an utterance without a question is skipped", () => {
  for (const value of ["no json", '"a"', "[]", "1"])
    expect(promptsOf(log({ by: guide, features: asking(value) }))).toEqual([]);
  expect(promptsOf(log({ by: guide }))).toEqual([]);
  expect(promptsOf([{ seq: 1, at, kind: "hidden" }])).toEqual([]);
});

test("a reply is matched by the id it names", () => {
  const entries = log(
    { by: guide, to: ann, features: asking(tea) },
    { by: guide, to: ann, features: asking(name) },
    { by: ann, to: guide, features: replying("q1", ["green"]) },
  );
  expect(promptsOf(entries).map(({ reply }) => reply)).toEqual([{ by: ann, values: ["green"] }, undefined]);
});

test("plain text to the asker answers its newest question; a choice by label, value or id", () => {
  const entries = log(
    { by: guide, to: ann, features: asking(name) },
    { by: guide, to: ann, features: asking(tea) },
    { by: ann, to: guide, text: "GREEN" },
    { by: ann, to: guide, text: "Ann" },
  );
  expect(promptsOf(entries).map(({ reply }) => reply?.values)).toEqual([["Ann"], ["green"]]);
});

test("only the addressee answers, and only to the asker or to everyone", () => {
  const entries = log(
    { by: guide, to: ann, features: asking(tea) },
    { by: ben, to: guide, text: "green" },
    { by: ben, features: replying("q1", ["green"]) },
    { by: ann, to: ben, text: "green" },
    { by: guide, text: "green" },
  );
  expect(promptsOf(entries)[0]).not.toHaveProperty("reply");
});

test("in public, an option's name answers a choice and other text leaves it open", () => {
  const question = { by: guide, to: ann, features: asking(tea) };
  expect(promptsOf(log(question, { by: ann, text: "good morning", turn: "t2" }))[0]).not.toHaveProperty("reply");
  expect(promptsOf(log(question, { by: ann, text: "Black", turn: "t2" }))[0]?.reply?.values).toEqual(["Black"]);
});

test("a question to everyone is answered by the next person who speaks", () => {
  const question = { by: guide, features: asking(name) };
  const next = (said: Said) => promptsOf(log(question, { turn: "t2", ...said }), here)[0]?.reply;
  expect(next({ by: ben, text: "I echo", turn: "t1" })).toBeUndefined();
  expect(next({ by: guide, text: "Well?" })).toBeUndefined();
  expect(next({ by: ann, text: "Ann" })).toEqual({ by: ann, values: ["Ann"] });
});

test("an agent does not answer a question to everyone, and an unknown sender only by a reply with the id", () => {
  const yesNo = { by: guide, features: asking({ ...tea, input_type: "binary_choice", options: undefined, id: "q1" }) };
  const replyOf = (by: string, features?: Features) => {
    const said = { by, text: "yes", turn: "t2", ...(features && { features }) };
    const [owner, second] = here;
    const echo = {
      ...owner,
      kind: "agent" as const,
      identification: { ...owner?.identification, speakerUri: "tag:echo" },
    };
    return promptsOf(log(yesNo, said), [owner, second, echo] as typeof here)[0]?.reply;
  };
  expect(replyOf("tag:echo")).toBeUndefined();
  expect(replyOf("tag:echo", replying("q1", ["yes"]))).toBeUndefined();
  expect(replyOf("tag:stranger")).toBeUndefined();
  expect(replyOf("tag:stranger", replying("q1", ["yes"]))).toEqual({ by: "tag:stranger", values: ["yes"] });
  expect(replyOf(ben)).toEqual({ by: ben, values: ["yes"] });
});

test("the log contains the kinds of conversants too, and an agent answers a question to itself", () => {
  const seated = (speakerUri: string, kind: "person" | "agent"): Entry => {
    const identification = { speakerUri, serviceUrl: "", organization: "", conversationalName: "", synopsis: "" };
    return { seq: 0, at, kind: "seated", seat: { identification, kind, state: "joined" } };
  };
  const asked = log({ by: guide, features: asking(name) }, { by: "tag:dan", text: "Dan", turn: "t2" });
  expect(promptsOf([seated("tag:dan", "person"), ...asked])[0]?.reply?.by).toBe("tag:dan");
  expect(promptsOf([seated("tag:dan", "agent"), ...asked])[0]).not.toHaveProperty("reply");
  const own = log({ by: guide, to: "tag:dan", features: asking(tea) }, { by: "tag:dan", to: guide, text: "green" });
  expect(promptsOf([seated("tag:dan", "agent"), ...own])[0]?.reply?.by).toBe("tag:dan");
});

test("a public utterance does not answer a whispered question", () => {
  const question = { by: guide, to: ann, private: true, features: asking(name) };
  expect(promptsOf(log(question, { by: ann, text: "Hello all", turn: "t2" }))[0]).not.toHaveProperty("reply");
});

test("plain text after the deadline answers nothing, and a notification expects no answer", () => {
  const late = { by: ann, to: guide, text: "green", at: "2026-11-16T10:01:00.000Z" };
  expect(promptsOf(log({ by: guide, to: ann, features: asking({ ...tea, timeout: 30 }) }, late))[0]).not.toHaveProperty(
    "reply",
  );
  const note = asking({ input_type: "notification", text: "Done" });
  expect(
    promptsOf(log({ by: guide, to: ann, features: note }, { by: ann, to: guide, text: "fine" }))[0],
  ).not.toHaveProperty("reply");
});

test("a counter-question is no answer", () => {
  const entries = log({ by: guide, to: ann, features: asking(name) }, { by: ann, to: guide, features: asking(tea) });
  expect(promptsOf(entries)[0]).not.toHaveProperty("reply");
});

test("only the first reply counts", () => {
  const entries = log(
    { by: guide, features: asking(tea) },
    { by: ann, features: replying("q1", ["green"]) },
    { by: ben, features: replying("q1", ["Black"]) },
  );
  expect(promptsOf(entries, here)[0]?.reply).toEqual({ by: ann, values: ["green"] });
});

test("an utterance without text is no answer and no question, and nothing throws", () => {
  const wordless = { toString: 1 };
  const entries = log(
    { by: guide, to: ann, features: asking({ ...tea, timeout: wordless, placeholder: wordless }) },
    { by: ann, to: guide, features: replying("q1", [wordless, "green", 7, true, null]) },
  );
  expect(promptsOf(entries)).toMatchObject([
    { placeholder: '{"toString":1}', reply: { by: ann, values: ["green", "7", "true"] } },
  ]);
});

test("the newest fifty questions of one asker stay open, and those of other askers are not dropped", () => {
  const asked = (n: number) => ({ by: guide, to: ann, features: asking({ ...tea, id: `q${n}` }) });
  const many = Array.from({ length: 60 }, (_, n) => asked(n));
  const other = { by: ben, to: ann, features: asking({ ...tea, id: "other" }) };
  const late = { by: ann, to: guide, features: replying("q3", ["green"]) };
  const prompts = promptsOf(log(other, ...many, late));
  expect(prompts.filter(({ isOver }) => isOver).map(({ id }) => id)).toEqual(
    Array.from({ length: 10 }, (_, n) => `q${n}`),
  );
  expect(prompts.some(({ reply }) => reply !== undefined)).toBe(false);
});

test("a repeated or withdrawn question is over, and the newest one is open", () => {
  const first = { by: guide, to: ann, features: asking(tea) };
  const back = { ...first, features: asking({ id: "q1", input_type: "notification" }) };
  const reply = { by: ann, to: guide, features: replying("q1", ["green"]) };
  expect(promptsOf(log(first, first, reply))).toMatchObject([{ isOver: true }, { reply: { values: ["green"] } }]);
  expect(promptsOf(log(first, back))[0]).toMatchObject({ isOver: true });
  expect(promptsOf(log(first, { ...first, by: ben }))[0]).not.toHaveProperty("isOver");
});

test("a growing log is read incrementally, and a different one from the start", () => {
  const entries = log(
    { by: guide, to: ann, features: asking(tea) },
    { by: ben, text: "hm" },
    { by: ann, to: guide, text: "green" },
  );
  const reader = createPromptReader();
  const asked = reader.read(entries.slice(0, 1), here);
  expect(reader.read(entries.slice(0, 2), here)).toBe(asked);
  expect(reader.read(entries, here)).toEqual(promptsOf(entries, here));
  expect(asked[0]).not.toHaveProperty("reply");
  expect(reader.read(entries.slice(1), here)).toEqual([]);
  expect(reader.read(structuredClone(entries), here)).toEqual(promptsOf(entries, here));
});

test("all questions of a long log are found; at night also: quickly", () => {
  const said = Array.from({ length: 20_000 }, (_, n): Said => {
    if (n % 20 === 0) return { by: `tag:agent-${n % 400}`, to: ann, features: asking({ ...tea, id: `q${n}` }) };
    return { by: n % 2 === 0 ? ann : ben, text: `words ${n}`, turn: `t${n}` };
  });
  const entries = log(...said);
  expect(promptsOf(entries, here)).toHaveLength(1_000);
  if (process.env.PLENARY_NIGHTLY !== "1") return; // D46
  const before = process.cpuUsage();
  for (let count = 0; count < 5; count += 1) promptsOf(entries, here);
  // Ten times the usual.
  expect(process.cpuUsage(before).user / 5 / 1_000).toBeLessThan(350);
});
