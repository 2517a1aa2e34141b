import fc from "fast-check";
import { expect, test } from "vitest";
import type { ChatMessage } from "./client-message.ts";
import { authMessage, userInteractionMessage, userMessage } from "./make-client-message.ts";
import { parseClientMessage } from "./parse-client-message.ts";

test("a user message has exactly the keys of the toolkit", () => {
  const messages: ChatMessage[] = [
    { role: "assistant", parts: [] },
    {
      role: "user",
      parts: [
        { type: "text", text: "Look" },
        { type: "image_url", url: "https://a.example/1.png" },
        { type: "input_audio", data: "AA", format: "wav" },
        { type: "video_url", url: "https://a.example/1.mp4" },
        { type: "video_url", url: "data:video/mp4;base64,AA" },
      ],
    },
  ];
  const extras = { openFloor: { conversationId: "c" }, type: "replaced", content: 1 };
  expect(userMessage({ id: "m", conversationId: "c", schemaType: "chat", messages, userName: "Ada", extras })).toEqual({
    type: "user_message",
    schema_type: "chat",
    id: "m",
    conversation_id: "c",
    content: {
      messages: [
        { role: "assistant", content: [{ type: "text", text: "" }] },
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image_url", image_url: { url: "https://a.example/1.png" } },
            { type: "input_audio", input_audio: { data: "AA", format: "wav" } },
            { type: "text", text: "Video: https://a.example/1.mp4" },
            { type: "text", text: "(a video)" },
          ],
        },
      ],
    },
    user: { name: "Ada" },
    openFloor: { conversationId: "c" },
  });
});

test("an answer to a prompt is one text, even for several options", () => {
  expect(userInteractionMessage({ id: "m", conversationId: "c", texts: ["email", "sms"] })).toEqual({
    type: "user_interaction_message",
    id: "m",
    thread_id: "default",
    parent_id: "default",
    conversation_id: "c",
    content: { messages: [{ role: "user", content: [{ type: "text", text: "email, sms" }] }] },
  });
});

test("a message of the client is parsed back to the same value", () => {
  const role = fc.constantFrom("user" as const, "assistant" as const, "system" as const);
  const part = fc.record({ type: fc.constant("text" as const), text: fc.string({ unit: "grapheme" }) });
  const message = fc.record({ role, parts: fc.array(part, { minLength: 1, maxLength: 3 }) });
  const ask = fc
    .string({ minLength: 1 })
    .map((text) => ({ role: "user" as const, parts: [{ type: "text" as const, text: `${text}?` }] }));
  fc.assert(
    fc.property(fc.array(message, { maxLength: 4 }), ask, (before, last) => {
      const messages = [...before, last];
      const sent = userMessage({ id: "m", conversationId: "c", schemaType: "generate", messages });
      expect(parseClientMessage(JSON.stringify(sent))).toEqual({
        ok: true,
        message: {
          type: "user_message",
          schemaType: "generate",
          id: "m",
          conversationId: "c",
          isPrivate: false,
          messages,
          parts: last.parts,
        },
      });
    }),
  );
  const credential = { method: "basic", username: "u", password: "p" } as const;
  const auth = parseClientMessage(JSON.stringify(authMessage(credential)));
  expect(auth).toEqual({ ok: true, message: { type: "auth_message", credential } });
});
