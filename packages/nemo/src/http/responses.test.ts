import fc from "fast-check";
import { expect, test } from "vitest";
import { wildJson } from "../testing/wild.ts";
import { createResponseEvents, parseResponsesRequest, responseObject } from "./responses.ts";

const hi = [{ type: "text", text: "hi" }];

function read(body: object) {
  const said = parseResponsesRequest(body);
  if (!said.ok) throw new Error(said.error.details);
  return said.request;
}

test.each([
  ["a text", "hi"],
  ["a message", [{ role: "user", content: "hi" }]],
  ["a message with unknown keys", [{ role: "user", content: "hi", fault: "x", error: "y" }]],
  ["a message with its type", [{ type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] }]],
  [
    "tools between the messages",
    [
      { role: "user", content: "hi" },
      { type: "function_call_output", output: "x" },
    ],
  ],
])("an input that is %s is read", (_name, input) => {
  expect(read({ input })).toMatchObject({ parts: hi, isStored: true, isStream: false });
});

test("the other fields of a request are read", () => {
  const body = {
    input: "hi",
    instructions: "be brief",
    previous_response_id: "resp_1",
    store: false,
    stream: true,
    tools: [1],
  };
  expect(read(body)).toMatchObject({
    previousId: "resp_1",
    isStored: false,
    isStream: true,
    instructions: "be brief",
    ignored: ["tools"],
    messages: [{ role: "system" }, { role: "user" }],
  });
});

const file = (more: object) => ({
  input: [{ role: "user", content: [{ type: "input_file", filename: "a.txt", ...more }] }],
});

test.each([
  [
    "words",
    { file_data: "data:text/plain;charset=utf-8;base64,R3LDvMOfZQ==" },
    { type: "text", text: "a.txt:\n\nGrüße" },
  ],
  ["an address", { file_url: "https://a.example/x" }, { type: "text", text: "[a.txt: https://a.example/x]" }],
  ["a picture", { file_data: "data:image/png;base64,AAAA" }, { type: "image_url", url: "data:image/png;base64,AAAA" }],
  ["a sound", { file_data: "data:audio/wav;base64,AAAA" }, { type: "input_audio", data: "AAAA", format: "wav" }],
  ["a video", { file_data: "data:video/mp4;base64,AAAA" }, { type: "video_url", url: "data:video/mp4;base64,AAAA" }],
])("a file that is %s becomes a part that a floor supports", (_name, more, part) => {
  expect(read(file(more)).parts).toEqual([part]);
});

test.each([
  ["no words", { input: [] }, /^input has no message/u],
  ["nothing", {}, /^input has no message/u],
  [
    "a file of another kind",
    file({ file_data: "data:application/pdf;base64,AAAA" }),
    /^input\[0\]\.content\[0\]\.file_data is neither/u,
  ],
  ["a file that is no UTF-8", file({ file_data: "data:text/plain;base64,/w==" }), /file_data is neither/u],
  ["a file that should be here", file({ file_id: "file-1" }), /no files are kept here/u],
  ["a wrong id", { input: "hi", previous_response_id: 4 }, /^previous_response_id is not a text/u],
])("a request with %s is refused with the path and the fix", (_name, body, details) => {
  expect(parseResponsesRequest(body)).toMatchObject({ ok: false, error: { details: expect.stringMatching(details) } });
});

test("the parser never throws", () => {
  fc.assert(fc.property(wildJson, (value) => void parseResponsesRequest({ input: value })));
  fc.assert(fc.property(fc.anything(), (value) => void parseResponsesRequest(value)));
});

const head = { id: "resp_1", messageId: "msg_1", model: "clock", createdS: 1, isStored: true };

test("an answer is one object, or numbered events in order", () => {
  expect(responseObject(head, { status: "completed", text: "noon" })).toMatchObject({
    id: "resp_1",
    object: "response",
    status: "completed",
    error: null,
    output: [{ id: "msg_1", type: "message", role: "assistant", content: [{ type: "output_text", text: "noon" }] }],
  });
  const events = createResponseEvents(head);
  const lines = `${events.begun()}${events.delta("no")}${events.delta("on")}${events.completed("noon")}`;
  const data = lines
    .trimEnd()
    .split("\n\n")
    .map((line) => JSON.parse(line.slice(line.indexOf("\ndata: ") + 7)));
  expect(data.map(({ sequence_number }) => sequence_number)).toEqual([...data.keys()]);
  expect(data.map(({ type }) => type)).toEqual([
    ...["response.created", "response.in_progress", "response.output_item.added", "response.content_part.added"],
    ...["response.output_text.delta", "response.output_text.delta", "response.output_text.done"],
    ...["response.content_part.done", "response.output_item.done", "response.completed"],
  ]);
  expect(lines).toContain("event: response.completed\n");
  const failed = createResponseEvents(head).failed({ code: "workflow_error", message: "broken" });
  expect(failed).toMatch(/^event: response\.failed\n.*"status":"failed".*"message":"broken"/su);
});
