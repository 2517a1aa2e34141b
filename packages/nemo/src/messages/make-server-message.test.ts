import fc from "fast-check";
import { expect, test } from "vitest";
import { isServerMessage } from "../testing/checked.ts";
import {
  authResponse,
  completeMessage,
  errorMessage,
  interactionMessage,
  intermediateMessage,
  responseHead,
  responseMessage,
  responseTail,
  type Stamp,
  traceMessage,
} from "./make-server-message.ts";
import { parseServerMessage } from "./parse-server-message.ts";
import { type PromptQuestion, promptContent } from "./prompt.ts";
import type { ErrorContent } from "./server-message.ts";

const stock: Stamp = {
  profile: "stock",
  conversationId: "c1",
  parentId: "um-1",
  nowMs: Date.UTC(2026, 10, 15, 20, 40, 56, 753),
  newId: () => "m-1",
};
const page: Stamp = { ...stock, profile: "page" };

test("a delta has the format of the toolkit", () => {
  expect(JSON.stringify(responseMessage("you ", stock))).toBe(
    '{"type":"system_response_message","id":"m-1","thread_id":"default","parent_id":"um-1","conversation_id":"c1",' +
      '"content":{"text":"you "},"status":"in_progress","timestamp":"2026-11-15 20:40:56.753000+00:00"}',
  );
});

test("the last message of a run has no text, and a status word per profile", () => {
  expect(completeMessage(stock)).toMatchObject({ content: { text: null }, status: "complete" });
  expect(completeMessage(stock, true)).toMatchObject({ content: { text: null }, status: "complete" });
  expect(completeMessage(page)).toMatchObject({ status: "completed", timestamp: "2026-11-15T20:40:56.753Z" });
  expect(completeMessage(page, true)).toMatchObject({ content: { text: null }, status: "failed" });
});

test("a step names its parent step for the stock client, and the user message for the page", () => {
  const step = { id: "s2", parent: "s1", name: "Tool: calc", payload: "2" };
  const inToolkit = { intermediate_parent_id: "default", update_message_id: "default" };
  expect(intermediateMessage(step, stock)).toMatchObject({ id: "s2", parent_id: "s1", ...inToolkit });
  expect(intermediateMessage({ id: "s1", name: "a", payload: "" }, stock)).toMatchObject({ parent_id: "root" });
  const onPage = intermediateMessage(step, page);
  expect(onPage).toMatchObject({ id: "s2", parent_id: "um-1", intermediate_parent_id: "s1" });
  expect(onPage).not.toHaveProperty("update_message_id");
});

test("HTML in a step is escaped once", () => {
  const step = { id: "s", name: "Run <workflow>", payload: "a & b &lt;i&gt; <script>" };
  const sent = intermediateMessage(step, stock).content;
  expect(sent).toEqual({ name: "Run &lt;workflow&gt;", payload: "a &amp; b &lt;i&gt; &lt;script&gt;" });
  expect(intermediateMessage({ ...step, ...sent }, stock).content).toEqual(sent);
});

test("auth_message is answered with the user id or the error", () => {
  const timestamp = "2026-11-15 20:40:56.753000+00:00";
  const type = "auth_response_message";
  expect(authResponse({ userId: "u" }, stock)).toEqual({
    type,
    status: "success",
    user_id: "u",
    payload: null,
    timestamp,
  });
  const error: ErrorContent = { code: "user_auth_error", message: "Authentication failed", details: "no" };
  expect(authResponse({ error }, stock)).toEqual({ type, status: "error", user_id: null, payload: error, timestamp });
});

const text = fc.string({ unit: "binary" });
const id = fc.string({ minLength: 1 });
const stamp = fc.record({
  profile: fc.constantFrom("stock" as const, "page" as const),
  conversationId: id,
  parentId: id,
  nowMs: fc.integer({ min: 0, max: 4e12 }),
  newId: id.map((made) => () => made),
});
const error = fc.record({
  code: fc.constantFrom<ErrorContent["code"]>("workflow_error", "invalid_message", "user_auth_error", "unknown_error"),
  message: text,
  details: text,
});
const option = fc.record(
  { id: text, label: text, value: text, description: text },
  { requiredKeys: ["id", "label", "value"] },
);
const asked: fc.Arbitrary<PromptQuestion> = fc.record(
  {
    inputType: fc.constantFrom("text", "radio", "checkbox", "dropdown", "binary_choice", "notification"),
    text,
    options: fc.array(option, { maxLength: 4 }),
    isRequired: fc.boolean(),
    placeholder: text,
    error: text,
    timeoutMs: fc.double({ min: -1, max: 1e9, noNaN: true }),
  },
  { requiredKeys: ["inputType", "options", "isRequired"] },
);

test("all server messages match the strict schema", () => {
  const step = fc.record({ id, parent: id, name: text, payload: text }, { requiredKeys: ["id", "name", "payload"] });
  fc.assert(
    fc.property(stamp, text, error, step, asked, fc.boolean(), (mark, words, fault, one, question, isSo) => {
      const made = [
        responseMessage(words, mark),
        completeMessage(mark, isSo),
        intermediateMessage(one, mark),
        interactionMessage(promptContent(question, { hasAllPrompts: isSo }), mark),
        errorMessage(fault, mark),
        traceMessage(mark.parentId, mark),
        authResponse(isSo ? { userId: words } : { error: fault }, mark),
      ];
      expect(made.filter((message) => !isServerMessage(message))).toEqual([]);
    }),
  );
});

test("an unknown key, a number as a value or a missing conversation id fails the strict schema", () => {
  const delta = responseMessage("a", stock);
  expect(isServerMessage(delta)).toBe(true);
  expect(isServerMessage({ ...delta, more: 1 })).toBe(false);
  expect(isServerMessage({ ...delta, conversation_id: "" })).toBe(false);
  expect(isServerMessage({ ...delta, content: { text: "a", more: 1 } })).toBe(false);
  const choice = promptContent(
    { inputType: "radio", options: [{ id: "a", label: "A", value: "a" }], isRequired: true },
    { hasAllPrompts: true },
  );
  expect(isServerMessage(interactionMessage(choice, stock))).toBe(true);
  expect(
    isServerMessage({
      ...interactionMessage(choice, stock),
      content: { ...choice, options: [{ id: "a", label: "A", value: 1 }] },
    }),
  ).toBe(false);
});

test("texts are the same after a server message is parsed", () => {
  fc.assert(
    fc.property(stamp, fc.string({ unit: "grapheme" }), (mark, words) => {
      const said = parseServerMessage(JSON.stringify(responseMessage(words, mark)));
      expect(said).toMatchObject({ kind: "delta", text: words, conversationId: mark.conversationId });
    }),
  );
});

test.each(["stock", "page"] as const)(
  "responseHead and responseTail give the same delta as responseMessage: %s",
  (profile) => {
    const stamp = { profile, conversationId: 'c"1', parentId: "p\n2", newId: () => "id-1" };
    for (const text of ["you ", 'a "quote"\n\u2028', ""]) {
      const nowMs = 1_794_850_552_123;
      const written = responseHead(stamp) + JSON.stringify(text) + responseTail({ profile, nowMs });
      expect(written).toBe(JSON.stringify(responseMessage(text, { ...stamp, nowMs })));
    }
  },
);
