import { expect, test } from "vitest";
import {
  errorMessage,
  interactionMessage,
  intermediateMessage,
  responseMessage,
  traceMessage,
} from "./messages/make-server-message.ts";
import { parseClientMessage } from "./messages/parse-client-message.ts";
import { parseServerMessage } from "./messages/parse-server-message.ts";
import { promptContent } from "./messages/prompt.ts";
import type { ErrorContent } from "./messages/server-message.ts";
import { isServerMessage } from "./testing/checked.ts";
import { fromClients, fromServers } from "./testing/page-examples.ts";

const nowMs = Date.UTC(2025, 0, 13, 10, 0, 1);

function stampOf(example: { id: string; parent_id: string; conversation_id: string }) {
  const { id, parent_id: parentId, conversation_id: conversationId } = example;
  return { profile: "page", conversationId, parentId, nowMs, newId: () => id } as const;
}

// The time and the thread id are ours. Everything else is as on the page.
function likeOnPage<Example extends object>(example: Example) {
  return { ...example, ...("thread_id" in example && { thread_id: "default" }), timestamp: "2025-01-13T10:00:01.000Z" };
}

test("the user message of the page is accepted: its last message is new, and its sample secrets are ignored", () => {
  const said = parseClientMessage(JSON.stringify(fromClients.user_message));
  expect(said).toEqual({
    ok: true,
    message: {
      type: "user_message",
      schemaType: "chat_stream",
      id: "string",
      conversationId: "string",
      messages: [
        { role: "user", parts: [{ type: "text", text: "Hello, how are you?" }] },
        { role: "assistant", parts: [{ type: "text", text: "im good" }] },
        { role: "user", parts: [{ type: "text", text: "solve this question" }] },
      ],
      parts: [{ type: "text", text: "solve this question" }],
      userName: "string",
      isPrivate: false,
    },
  });
});

test("the page's answer to a prompt is accepted", () => {
  expect(parseClientMessage(JSON.stringify(fromClients.user_interaction_message))).toEqual({
    ok: true,
    message: {
      type: "user_interaction_message",
      id: "string",
      conversationId: "string",
      texts: ["Yes continue processing sensitive information"],
    },
  });
});

test("a step, a delta, an error and a trace are emitted as on the page", () => {
  const step = fromServers.system_intermediate_message;
  expect(intermediateMessage({ id: step.id, ...step.content }, stampOf(step))).toEqual(likeOnPage(step));
  const delta = fromServers.system_response_message;
  expect(responseMessage(delta.content.text, stampOf(delta))).toEqual(likeOnPage(delta));
  const error = fromServers.error_message;
  expect(errorMessage(error.content as ErrorContent, stampOf(error))).toEqual(likeOnPage(error));
  const trace = fromServers.observability_trace_message;
  expect(traceMessage(trace.content.observability_trace_id, stampOf(trace))).toEqual(likeOnPage(trace));
});

const prompts = ["text", "text with a timeout", "binary_choice", "radio", "checkbox", "dropdown"] as const;

test.each(prompts)("the prompt %s of the page is read, and emitted as on the page", (name) => {
  const example = fromServers[name];
  const said = parseServerMessage(JSON.stringify(example));
  if (said?.kind !== "prompt") throw new Error(`read as ${said?.kind}`);
  const content = promptContent(said.prompt, { hasAllPrompts: true });
  expect(interactionMessage(content, stampOf(example))).toEqual(likeOnPage(example));
});

test("every server message of the page matches our strict schema", () => {
  const loose = Object.entries(fromServers).filter(([, example]) => !isServerMessage(example));
  expect(loose.map(([name]) => name)).toEqual([]);
  expect(Object.keys(fromServers)).toHaveLength(10);
});

test("the server messages of the page are parsed", () => {
  const kindOf = (example: object) => parseServerMessage(JSON.stringify(example));
  expect(kindOf(fromServers.system_intermediate_message)).toMatchObject({ kind: "step", step: { id: "step_789" } });
  expect(kindOf(fromServers.system_response_message)).toMatchObject({
    kind: "delta",
    text: "Response token can be json, code block or plain text",
  });
  expect(kindOf(fromServers.error_message)).toMatchObject({
    kind: "error",
    error: { code: "workflow_error", message: "The provided email format is invalid.", details: "ValidationError" },
  });
  expect(kindOf(fromServers.observability_trace_message)).toMatchObject({
    kind: "trace",
    traceId: "019a9f4d-072a-77b0-aff1-262550329c13",
  });
});
