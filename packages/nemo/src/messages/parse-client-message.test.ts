import fc from "fast-check";
import { expect, test } from "vitest";
import { wildJson } from "../testing/wild.ts";
import type { UserMessage } from "./client-message.ts";
import { parseClientMessage } from "./parse-client-message.ts";

const parsed = (value: unknown) => parseClientMessage(JSON.stringify(value));

function userMessage(rest: object): UserMessage {
  const said = parsed({ type: "user_message", schema_type: "chat_stream", content: "hi", ...rest });
  if (!said.ok) throw new Error(said.error.details);
  if (said.message.type !== "user_message") throw new Error(said.message.type);
  return said.message;
}

function errorOf(value: unknown) {
  const said = typeof value === "string" ? parseClientMessage(value) : parsed(value);
  if (said.ok) throw new Error(`was taken: ${JSON.stringify(said.message)}`);
  return said.error;
}

const hi = [{ type: "text", text: "hi" }];

test("messages of the stock client are parsed", () => {
  const text =
    '{"type":"user_message","schema_type":"chat_stream","id":"m","conversation_id":"c","content":{"messages":[{"role":' +
    '"user","content":[{"type":"text","text":"hi"}]}]},"timestamp":"2026-11-15T20:47:40.636Z"}';
  expect(parseClientMessage(text)).toEqual({
    ok: true,
    message: {
      type: "user_message",
      schemaType: "chat_stream",
      id: "m",
      conversationId: "c",
      isPrivate: false,
      messages: [{ role: "user", parts: hi }],
      parts: hi,
    },
  });
});

test.each([
  ["a text", "hi"],
  ["a list of texts", ["hi"]],
  ["a part", { type: "text", text: "hi" }],
  ["a part without a type", { text: "hi" }],
  ["a list of parts", hi],
  ["a list of messages", [{ role: "user", content: "hi" }]],
  ["messages with a text", { messages: [{ role: "user", content: "hi" }] }],
  ["messages with parts", { messages: [{ role: "user", content: hi }] }],
  ["a message that is a text", { messages: ["hi"] }],
  ["a message without a role", { messages: [{ content: "hi" }] }],
  [
    "an answer after it",
    {
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: null },
      ],
    },
  ],
])("content may be %s", (_name, content) => {
  expect(userMessage({ content }).parts).toEqual(hi);
});

test("images, sounds and videos are read in every known notation", () => {
  const parts = [
    { type: "image_url", image_url: { url: "https://a.example/1.png", detail: "low" } },
    { type: "image", image_url: "https://a.example/2.png" },
    { type: "image", image: { url: "https://a.example/3.png" } },
    { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
    { type: "input_audio", input_audio: { data: "AAAA" } },
    { type: "video_url", video_url: { url: "https://a.example/4.mp4" } },
  ];
  expect(userMessage({ content: { messages: [{ role: "user", content: parts }] } }).parts).toEqual([
    { type: "image_url", url: "https://a.example/1.png" },
    { type: "image_url", url: "https://a.example/2.png" },
    { type: "image_url", url: "https://a.example/3.png" },
    { type: "input_audio", data: "AAAA", format: "mp3" },
    { type: "input_audio", data: "AAAA", format: "wav" },
    { type: "video_url", url: "https://a.example/4.mp4" },
  ]);
});

test("missing fields have defaults, and unknown fields are ignored", () => {
  const said = parsed({
    type: "user_message",
    content: "hi",
    user: { name: " Ada ", team: 1 },
    timestamp: 7,
    error: 3,
    x: [],
  });
  expect(said).toMatchObject({ ok: true, message: { id: "default", schemaType: "chat_stream", userName: "Ada" } });
  expect(said.ok && "conversationId" in said.message).toBe(false);
  expect(userMessage({ id: 5, conversation_id: 6 })).toMatchObject({ id: "5", conversationId: "6" });
});

test("a user name is one visible line, or undefined", () => {
  expect(userMessage({ user: { name: "Ann\u202e\nLee" } })).toMatchObject({ userName: "Ann Lee" });
  expect(userMessage({ user: { name: "a".repeat(300) } })).toMatchObject({ userName: "a".repeat(100) });
  for (const name of ["\u200b\u202e", " \n", 7]) expect("userName" in userMessage({ user: { name } })).toBe(false);
});

test.each([
  ["a name", "Clock", "Clock"],
  ["a speakerUri", { speakerUri: "tag:a" }, "tag:a"],
  ["a serviceUrl", { serviceUrl: "https://a.example/" }, "https://a.example/"],
  ["an object with a name", { name: "Clock" }, "Clock"],
])("the addressee may be given by %s", (_name, to, expected) => {
  expect(userMessage({ to, private: true })).toMatchObject({ to: expected, isPrivate: true });
});

test("an invalid `private` is refused, and the message does not become public", () => {
  expect(userMessage({ private: "true" }).isPrivate).toBe(true);
  expect(userMessage({ private: "false" }).isPrivate).toBe(false);
  expect(errorOf({ type: "user_message", content: "hi", private: "yes" }).code).toBe("invalid_data_content");
  expect(errorOf({ type: "user_message", content: "hi", to: 4, private: true }).code).toBe("invalid_data_content");
});

test("several chosen values are several texts, and an empty text is an answer", () => {
  const reply = (content: unknown) => parsed({ type: "user_interaction_message", content });
  const two = [
    { type: "text", text: "email" },
    { type: "text", text: "sms" },
  ];
  expect(reply({ messages: [{ role: "user", content: two }] })).toMatchObject({ message: { texts: ["email", "sms"] } });
  expect(reply("")).toMatchObject({ message: { texts: [""] } });
  expect(errorOf({ type: "user_interaction_message", content: { messages: [] } }).code).toBe(
    "invalid_user_message_content",
  );
});

test("credentials are read from `security` of any message and from auth_message", () => {
  expect(userMessage({ security: { token: "a.b.c", api_key: "k" } }).credential).toEqual({
    method: "jwt",
    token: "a.b.c",
  });
  expect(userMessage({ security: { api_key: "k" } }).credential).toEqual({ method: "api_key", token: "k" });
  expect(userMessage({ security: { token: "Bearer k" } }).credential).toEqual({ method: "api_key", token: "k" });
  expect(userMessage({ security: {} }).credential).toBeUndefined();
  const reply = parsed({ type: "user_interaction_message", content: "a", security: { token: "k" } });
  expect(reply).toMatchObject({ message: { credential: { token: "k" } } });
  for (const payload of [
    { method: "jwt", token: "a.b.c" },
    { method: "api_key", token: "k" },
    { method: "basic", username: "u", password: "p" },
  ]) {
    expect(parsed({ type: "auth_message", payload })).toEqual({
      ok: true,
      message: { type: "auth_message", credential: payload },
    });
  }
});

const said = { type: "user_message" };
test.each([
  ["no JSON", "{", "invalid_message", /not JSON/u],
  ["a list", [], "invalid_message", /not an object/u],
  ["a key given twice", '{"content":{"text":"a","text":"b"}}', "invalid_message", /twice.*\/content\/text/u],
  ["no type", {}, "invalid_message_type", /missing/u],
  ["an unknown type", { type: "ping" }, "invalid_message_type", /user_interaction_message/u],
  ["a server's type", { type: "system_response_message" }, "invalid_message_type", /from a server/u],
  ["an unknown schema_type", { ...said, schema_type: "x", content: "a" }, "invalid_data_content", /chat_stream/u],
  ["nothing said", said, "invalid_user_message_content", /role user/u],
  ["blanks", { ...said, content: " \n" }, "invalid_user_message_content", /role user/u],
  [
    "only an assistant",
    { ...said, content: [{ role: "assistant", content: "a" }] },
    "invalid_user_message_content",
    /user/u,
  ],
  ["a number said", { ...said, content: 4 }, "invalid_data_content", /content is neither/u],
  [
    "an unknown role",
    { ...said, content: [{ role: "x", content: "a" }] },
    "invalid_data_content",
    /content\[0\]\.role/u,
  ],
  ["an unknown part", { ...said, content: ["a", { type: "x" }] }, "invalid_data_content", /content\[1\]\.type/u],
  [
    "an image without an address",
    { ...said, content: [{ type: "image_url" }] },
    "invalid_data_content",
    /image_url\.url/u,
  ],
  ["too many parts", { ...said, content: Array(101).fill("a") }, "invalid_data_content", /101 parts/u],
  ["too long a text", { ...said, content: "a".repeat(1_000_001) }, "invalid_data_content", /1000001 characters/u],
  ["a long id", { ...said, content: "a", id: "i".repeat(501) }, "invalid_data_content", /^id is/u],
  ["security that is none", { ...said, content: "a", security: "k" }, "invalid_data_content", /^security is/u],
  [
    "a token that is no text",
    { ...said, content: "a", security: { token: 4 } },
    "invalid_data_content",
    /^security\.token/u,
  ],
  ["no payload", { type: "auth_message" }, "user_auth_error", /^payload is/u],
  ["an unknown method", { type: "auth_message", payload: { method: "x" } }, "user_auth_error", /jwt, api_key, basic/u],
  ["no token", { type: "auth_message", payload: { method: "jwt", token: "" } }, "user_auth_error", /payload\.token/u],
  [
    "no password",
    { type: "auth_message", payload: { method: "basic", username: "u" } },
    "user_auth_error",
    /password/u,
  ],
])("%s is refused with the path, the rule and the fix", (_name, value, code, details) => {
  const error = errorOf(value);
  expect(error.code).toBe(code);
  expect(error.details).toMatch(details);
  expect(error.details).toMatch(/; \S.*\.$/u);
});

test("an error has the ids of its message, as far as they are valid", () => {
  expect(parsed({ type: "x", id: "m", conversation_id: "c" })).toMatchObject({
    ok: false,
    id: "m",
    conversationId: "c",
  });
});

test("of a long history the newest messages are kept", () => {
  const messages = Array.from({ length: 1_200 }, (_, index) => ({ role: "user", content: `${index}` }));
  const read = userMessage({ content: { messages } });
  expect(read.messages).toHaveLength(1_000);
  expect(read.parts).toEqual([{ type: "text", text: "1199" }]);
});

test("the parser never throws", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void parseClientMessage(text)));
  const type = fc.constantFrom("user_message", "user_interaction_message", "auth_message");
  fc.assert(
    fc.property(wildJson, wildJson, type, (value, content, name) => {
      parsed(value);
      parsed({ type: name, content });
      parsed({
        type: name,
        content: { messages: [{ role: "user", content }] },
        to: value,
        security: value,
        payload: value,
      });
    }),
    { numRuns: 500 },
  );
});

test("texts are read unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      fc.pre(text.trim() !== "");
      expect(
        userMessage({ content: { messages: [{ role: "user", content: [{ type: "text", text }] }] } }).parts,
      ).toEqual([{ type: "text", text }]);
    }),
  );
});

test("no error contains a credential, whatever else is wrong and wherever the text is cut", () => {
  const secret = "hunter2-Zq9xV";
  const carrying = fc.constantFrom<object>(
    { security: { token: secret } },
    { security: { api_key: secret, [secret]: secret } },
    { security: secret },
    { security: [secret] },
    { payload: { method: "basic", username: secret, password: secret, token: secret } },
    { payload: { method: secret, token: secret } },
    { payload: secret },
    { type: secret },
    { schema_type: secret, to: { secret }, private: secret },
  );
  const broken = fc.record({
    rest: carrying,
    content: wildJson,
    type: fc.constantFrom("user_message", "auth_message", "user_interaction_message", "x"),
    keep: fc.integer({ min: 0, max: 200 }),
    twice: fc.boolean(),
  });
  let refused = 0;
  fc.assert(
    fc.property(broken, ({ rest, content, type, keep, twice }) => {
      const whole = JSON.stringify({ type, content, ...rest });
      const doubled = `${whole.slice(0, -1)},"security":{"${secret}":1,"${secret}":2}}`;
      for (const text of [whole, whole.slice(0, keep), twice ? doubled : whole]) {
        const read = parseClientMessage(text);
        if (read.ok) continue;
        refused += 1;
        expect(JSON.stringify(read.error)).not.toContain("hunter2");
      }
    }),
    { numRuns: 500 },
  );
  expect(refused).toBeGreaterThan(500);
});
