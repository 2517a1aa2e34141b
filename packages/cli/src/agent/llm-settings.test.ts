import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ConfigError, configErrorText } from "../errors.ts";
import { type LlmOptions, llmIn, parseLlm } from "./llm-settings.ts";

const local = { url: "http://127.0.0.1:11434/v1", model: "llama3.2" };

function parse(options: LlmOptions, env: Record<string, string> = {}) {
  const errors: ConfigError[] = [];
  const choice = parseLlm(options, env, errors);
  return { choice, errors: errors.map(configErrorText) };
}

test("address and model are enough", () => {
  expect(parse(local)).toEqual({
    choice: { baseUrl: "http://127.0.0.1:11434/v1", model: "llama3.2", policy: "addressed" },
    errors: [],
  });
});

test("missing options come from the environment", () => {
  const env = {
    PLENARY_LLM_URL: "https://models.example/v1",
    PLENARY_LLM_MODEL: "other",
    PLENARY_LLM_KEY: " sk-1 ",
    PLENARY_LLM_NAME: "Cook",
    PLENARY_LLM_INSTRUCTIONS: "You cook.",
    PLENARY_LLM_POLICY: "open",
  };
  expect(parse({ model: "mine" }, env).choice).toEqual({
    baseUrl: "https://models.example/v1",
    model: "mine",
    key: "sk-1",
    name: "Cook",
    instructions: "You cook.",
    policy: "open",
  });
});

test("all missing settings are reported at once, with fixes", () => {
  expect(parse({})).toEqual({
    choice: undefined,
    errors: [
      "PLENARY_LLM_URL is missing: set it to the model's endpoint, or give --url, such as http://127.0.0.1:11434/v1",
      "PLENARY_LLM_MODEL is missing: give the server's name of the model, such as llama3.2 (or give --model)",
    ],
  });
});

test.each<[LlmOptions, Record<string, string>, string]>([
  [{ url: "127.0.0.1:11434" }, {}, "--url is not an http or https URL"],
  [{ url: "ftp://x.example/v1" }, {}, "--url is not an http or https URL"],
  [{ url: "https://me:sk-1@x.example/v1" }, {}, "--url has more than an address: give https://x.example/v1"],
  [{ url: "https://x.example/v1?key=sk-1" }, {}, "--url has more than an address: give https://x.example/v1"],
  [
    { url: "http://127.0.0.1:1/v1/chat/completions" },
    {},
    "--url includes /chat/completions: give http://127.0.0.1:1/v1;",
  ],
  [
    { url: "http://10.0.0.5/v1" },
    { PLENARY_LLM_KEY: "sk-1" },
    "--url is plain http, so the key can be read in transit",
  ],
  [
    {},
    { PLENARY_LLM_KEY: "two words" },
    "PLENARY_LLM_KEY has a space or another character that is not allowed in a header",
  ],
  [{ model: " " }, {}, "--model is not a model name"],
  [{ name: "Cook\nsystem" }, {}, "--name is not a name that people can type"],
  [{ policy: "always" }, {}, '--policy is "always": give addressed'],
  [{ instructions: "@no-such-file.txt" }, {}, "--instructions names a file that cannot be read (no such file"],
  [{ instructions: "x".repeat(20_000) }, {}, "--instructions has more than 16384 characters"],
])("%j %j is an error", (options, env, problem) => {
  const { choice, errors } = parse({ ...local, ...options }, env);
  expect(choice).toBeUndefined();
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(problem);
  expect(errors.join()).not.toContain("sk-1");
});

test("plain http beyond this machine is allowed without a key, or with PLENARY_INSECURE_HTTP=1", () => {
  const url = "http://10.0.0.5/v1";
  expect(parse({ ...local, url }).errors).toEqual([]);
  expect(parse({ ...local, url }, { PLENARY_LLM_KEY: "sk-1", PLENARY_INSECURE_HTTP: "1" }).errors).toEqual([]);
});

test("instructions may be in a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "plenary-llm-"));
  try {
    writeFileSync(join(folder, "cook.txt"), "You cook.\nNothing else.\n");
    const { choice } = parse({ ...local, instructions: `@${join(folder, "cook.txt")}` });
    expect(choice?.instructions).toBe("You cook.\nNothing else.");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("without settings a floor has no model; half of the settings is an error", () => {
  const errors: ConfigError[] = [];
  expect(llmIn({ PLENARY_LLM_KEY: "sk-1", PLENARY_LLM_URL: " " }, errors)).toBeUndefined();
  expect(errors).toEqual([]);
  expect(llmIn({ PLENARY_LLM_MODEL: "llama3.2" }, errors)).toBeUndefined();
  expect(errors).toMatchObject([{ name: "PLENARY_LLM_URL" }]);
});

test("the model takes text, and image or audio when listed", () => {
  expect(parse({ ...local, takes: "audio,text" }).choice).toMatchObject({ takes: ["text", "audio"] });
  expect(parse(local, { PLENARY_LLM_TAKES: "text" }).choice).toMatchObject({ takes: ["text"] });
  expect(parse({ ...local, takes: "text,video" }).errors).toEqual([
    expect.stringMatching(/--takes is "text,video".*text,image,audio/u),
  ]);
});
