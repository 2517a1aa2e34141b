import { expect, test } from "vitest";
import type { ConfigError } from "../errors.ts";
import { run } from "../run.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { type NemoOptions, parseNemo } from "./nemo-settings.ts";

function parse(options: NemoOptions, env: Record<string, string> = {}) {
  const errors: ConfigError[] = [];
  return {
    choice: parseNemo(options, env, errors),
    problems: errors.map(({ name, problem }) => `${name} ${problem}`),
  };
}

const url = "ws://127.0.0.1:8000/websocket";

test.each([
  [url, url],
  ["http://127.0.0.1:8000", url],
  ["ws://127.0.0.1:8000", url],
  ["https://flow.example/", "wss://flow.example/websocket"],
  ["https://flow.example/deep/ws?tenant=1", "wss://flow.example/deep/ws?tenant=1"],
])("the server %s is called at %s", (given, called) => {
  expect(parse({ url: given })).toMatchObject({ choice: { url: called }, problems: [] });
});

test.each([
  ["127.0.0.1:8000", "--url is not a ws, wss, http or https URL"],
  ["ftp://flow.example", "--url is not a ws, wss, http or https URL"],
  ["ws://user:secret@flow.example", "--url has more than an address"],
  ["ws://flow.example/websocket#part", "--url has more than an address"],
  [`${url}?conversation_id=1`, "--url has a conversation_id, but each conversation has its own"],
  [`${url}?session=s1`, "--url has a session, but each person has their own"],
])("the address %s is refused", (given, problem) => {
  expect(parse({ url: given })).toEqual({ choice: undefined, problems: [problem] });
});

test("a shared session may have a name", () => {
  const { choice } = parse({ url: `${url}?session=s1`, sharedSession: true });
  expect(choice).toMatchObject({ url: `${url}?session=s1`, sharedSession: true });
});

test("--patience is in seconds and below the floor's limit", () => {
  expect(parse({ url, patience: "600" }).choice).toMatchObject({ patienceMs: 600_000 });
  for (const patience of ["0", "an hour", "3600", "1.5"]) {
    expect(parse({ url, patience }).problems).toEqual([`--patience is "${patience}"`]);
  }
});

test("--takes is text and the listed layers", () => {
  expect(parse({ url, takes: "text, video,image" }).choice).toMatchObject({ takes: ["text", "image", "video"] });
  expect(parse({ url }).choice).not.toHaveProperty("takes");
  for (const takes of ["image", "text,smell", ""]) {
    expect(parse({ url, takes }).problems).toEqual([`--takes is "${takes}"`]);
  }
  const problem = "--takes has more than text, but a generate schema takes text only";
  expect(parse({ url, schema: "generate", takes: "text,image" }).problems).toEqual([problem]);
  expect(parse({ url, schema: "generate", takes: "text" }).problems).toEqual([]);
});

test("the token is sent in the header or in an auth_message", () => {
  const header = parse({ url }, { PLENARY_NEMO_TOKEN: "k1" });
  expect(header.choice).toMatchObject({ headers: { authorization: "Bearer k1" } });
  const message = (token: string) => parse({ url }, { PLENARY_NEMO_TOKEN: token, PLENARY_NEMO_AUTH: "message" });
  expect(message("k1").choice).toMatchObject({ credential: { method: "api_key", token: "k1" } });
  expect(message("a.b.c").choice).toMatchObject({ credential: { method: "jwt", token: "a.b.c" } });
  expect(message("k1").choice?.headers).toBeUndefined();
});

test("a token is sent unencrypted only with PLENARY_INSECURE_HTTP=1", () => {
  const env = { PLENARY_NEMO_TOKEN: "k1" };
  const problem = "--url is not encrypted, so the token can be read in transit";
  expect(parse({ url: "ws://flow.example" }, env).problems).toEqual([problem]);
  expect(parse({ url: "ws://flow.example" }, { ...env, PLENARY_INSECURE_HTTP: "1" }).problems).toEqual([]);
});

test("name, keyphrases and greeting come from the options", () => {
  const options = {
    url,
    name: "Travel",
    synopsis: "Books.",
    keyphrases: "flights, hotels,",
    greeting: "Hi.",
    steps: "names",
  };
  expect(parse({ ...options, schema: "generate", policy: "open" }).choice).toEqual({
    url,
    name: "Travel",
    synopsis: "Books.",
    keyphrases: ["flights", "hotels"],
    greeting: "Hi.",
    steps: "names",
    schemaType: "generate",
    policy: "open",
  });
});

test("all errors are reported at once", () => {
  const options = { name: "\u0007", keyphrases: ",", steps: "some", schema: "talk", policy: "shy", greeting: "" };
  expect(parse(options, { PLENARY_NEMO_AUTH: "cookie" }).problems).toEqual([
    "--url is missing",
    "--name is not a name that people can type",
    '--policy is "shy"',
    '--steps is "some"',
    '--schema is "talk"',
    "--greeting is not one line of text",
    "--keyphrases is not a list of keyphrases",
    'PLENARY_NEMO_AUTH is "cookie"',
  ]);
});

test("missing and foreign options are reported", async () => {
  const io = createMemoryIo({ env: {} });
  expect(await run(["agent", "nemo"], io)).toBe(2);
  expect(io.written.stderr).toContain("--url is missing: give the workflow's address, as in ws://127.");
  const other = createMemoryIo({ env: {} });
  expect(await run(["agent", "echo", "--url", url], other)).toBe(2);
  expect(other.written.stderr).toBe("plenary: --url is for plenary agent llm or nemo only: leave it out\n");
});
