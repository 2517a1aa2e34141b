import fc from "fast-check";
import { expect, test } from "vitest";
import { wildJson } from "../testing/wild.ts";
import { parseInteractionResponse } from "./interaction-response.ts";

const email = { id: "e", label: "Email", value: "email" };
const sms = { id: "s", label: "SMS", value: "sms" };

test.each([
  ["text, as the page has it", { input_type: "text", text: "yes" }, ["yes"]],
  ["text, as the code has it", { type: "text", text: "yes" }, ["yes"]],
  ["one option", { input_type: "radio", selected_option: email }, ["email"]],
  ["one option by its label", { type: "dropdown", selected_option: { label: "Email" } }, ["Email"]],
  ["a value that is no text", { type: "binary_choice", selected_option: { id: "x", value: true } }, ["true"]],
  ["several options", { input_type: "checkbox", selected_options: [email, sms] }, ["email", "sms"]],
  ["several under the name of one", { type: "checkbox", selected_option: [email, "sms"] }, ["email", "sms"]],
  ["no option at all", { input_type: "checkbox", selected_options: [] }, []],
  ["a bare text", "yes", ["yes"]],
])("a response with %s is read", (_name, response, texts) => {
  expect(parseInteractionResponse({ response })).toEqual({ ok: true, texts });
});

test.each([
  ["nothing", {}, /^response is missing/u],
  ["no answer in it", { response: { type: "text" } }, /^response has none of text/u],
  ["an option without a name", { response: { selected_option: {} } }, /^response\.selected_option is not an option/u],
  ["options that are no list", { response: { selected_options: "a" } }, /^response\.selected_options is not a list/u],
])("%s is refused with the path and the fix", (_name, body, details) => {
  expect(parseInteractionResponse(body)).toMatchObject({
    ok: false,
    error: { details: expect.stringMatching(details) },
  });
});

test("the parser never throws", () => {
  fc.assert(fc.property(wildJson, (value) => void parseInteractionResponse({ response: value })));
  fc.assert(fc.property(fc.anything(), (value) => void parseInteractionResponse(value)));
});
