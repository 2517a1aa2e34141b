import fc from "fast-check";

const words = [
  ...[
    "type",
    "content",
    "messages",
    "role",
    "text",
    "image_url",
    "url",
    "input_audio",
    "data",
    "format",
    "user",
    "name",
  ],
  ...[
    "security",
    "token",
    "api_key",
    "payload",
    "method",
    "to",
    "private",
    "status",
    "options",
    "input_type",
    "timeout",
  ],
  ...["id", "parent_id", "conversation_id", "schema_type", "speakerUri", "code", "value", "steps", "input_message"],
  "toString",
];
const names = [
  ...["user_message", "user_interaction_message", "auth_message", "system_response_message", "error_message", "text"],
  ...["system_intermediate_message", "system_interaction_message", "observability_trace_message", "image", "user"],
  ...["auth_response_message", "checkbox", "binary_choice", "oauth_consent", "jwt", "basic", "complete", "default"],
];

/** Arbitrary JSON, mostly with keys and values of the protocol in wrong places. */
export const wildJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...names),
    fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, "", "x"),
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...words), fc.string()), tie("value"), {
      maxKeys: 5,
      noNullPrototype: true,
    }),
  ),
})).value;
