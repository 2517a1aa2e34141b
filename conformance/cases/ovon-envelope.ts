import { ovonBye } from "../bases.ts";
import { drop, type NegativeCase, refused, repairedError, set, warned } from "../case.ts";

const state = "/ovon/conversation/persistentState";

export const ovonEnvelopeCases: readonly NegativeCase[] = [
  { name: "a string under ovon is refused", rule: "ovon-root", ...refused, ...set(ovonBye, "/ovon", "hello") },
  { name: "a list under ovon is refused", rule: "ovon-root", ...refused, ...set(ovonBye, "/ovon", []) },
  {
    name: "a version of Open Floor does not belong under ovon",
    rule: "schema-version-root",
    ...warned,
    ...set(ovonBye, "/ovon/schema/version", "1.1.0"),
  },
  {
    name: "an old envelope without schema breaks the text and is taken as 0.9.3",
    rule: "ovon-schema",
    ...repairedError,
    ...drop(ovonBye, "/ovon/schema"),
  },
  {
    name: "an old envelope without version breaks the text and is taken as 0.9.3",
    rule: "schema-version",
    ...repairedError,
    ...drop(ovonBye, "/ovon/schema/version"),
  },
  {
    name: "an old version that nobody published breaks the text and is taken as 0.9.3",
    rule: "schema-version",
    ...repairedError,
    ...set(ovonBye, "/ovon/schema/version", "0.8.0"),
  },
  {
    name: "an old root key in capitals breaks the text and is understood",
    rule: "root",
    path: "/OVON",
    ...repairedError,
    document: { OVON: ovonBye.ovon },
  },
  {
    name: "an old schema that is a string breaks the text",
    rule: "ovon-schema",
    ...repairedError,
    ...set(ovonBye, "/ovon/schema", "0.9.3"),
  },
  {
    name: "an old schema url has a scheme",
    rule: "ovon-schema-url",
    ...repairedError,
    ...set(ovonBye, "/ovon/schema/url", "schema.json"),
  },
  {
    name: "an old schema url is no number",
    rule: "ovon-schema-url",
    ...repairedError,
    ...set(ovonBye, "/ovon/schema/url", 3),
  },
  {
    name: "an old response code is no word",
    rule: "ovon-response-code",
    ...repairedError,
    ...set(ovonBye, "/ovon/responseCode", "fine"),
  },
  {
    name: "an old response code has a code",
    rule: "ovon-response-code",
    path: "/ovon/responseCode/code",
    ...repairedError,
    document: set(ovonBye, "/ovon/responseCode", { description: "fine" }).document,
  },
  {
    name: "an old envelope without conversation is refused",
    rule: "ovon-conversation",
    ...refused,
    ...drop(ovonBye, "/ovon/conversation"),
  },
  {
    name: "an old conversation without id is refused",
    rule: "ovon-conversation-id",
    ...refused,
    ...drop(ovonBye, "/ovon/conversation/id"),
  },
  {
    name: "an old conversation id that is a number is refused",
    rule: "ovon-conversation-id",
    ...refused,
    ...set(ovonBye, "/ovon/conversation/id", 7),
  },
  {
    name: "persistent state is no string",
    rule: "ovon-persistent-state",
    ...repairedError,
    ...set(ovonBye, state, "much"),
  },
  {
    name: "an empty list stands for no persistent state",
    rule: "ovon-persistent-state",
    ...warned,
    ...set(ovonBye, state, []),
  },
  {
    name: "what is kept under a key of persistent state is an object",
    rule: "ovon-persistent-state-value",
    path: `${state}/bot`,
    ...warned,
    document: set(ovonBye, state, { bot: "remember me" }).document,
  },
  {
    name: "conversants mean nothing under ovon",
    rule: "ovon-later-keys",
    ...warned,
    ...set(ovonBye, "/ovon/conversation/conversants", []),
  },
  {
    name: "an old envelope without sender is refused",
    rule: "ovon-sender",
    ...refused,
    ...drop(ovonBye, "/ovon/sender"),
  },
  {
    name: "an old sender that is a string is refused",
    rule: "ovon-sender",
    ...refused,
    ...set(ovonBye, "/ovon/sender", "https://ann.example"),
  },
  {
    name: "an old sender without from is refused",
    rule: "ovon-sender-from",
    ...refused,
    ...drop(ovonBye, "/ovon/sender/from"),
  },
  {
    name: "an old sender whose from is a number is refused",
    rule: "ovon-sender-from",
    ...refused,
    ...set(ovonBye, "/ovon/sender/from", 7),
  },
  {
    name: "blanks around from are cut",
    rule: "ovon-sender-from",
    ...warned,
    ...set(ovonBye, "/ovon/sender/from", "https://ann.example/floor "),
  },
  {
    name: "a sender section names no addressee",
    rule: "ovon-sender-to",
    ...warned,
    ...set(ovonBye, "/ovon/sender/to", "https://bot.example"),
  },
  {
    name: "a sender section names no addressee, least of all by number",
    rule: "ovon-sender-to",
    ...repairedError,
    ...set(ovonBye, "/ovon/sender/to", 7),
  },
  {
    name: "replyTo is gone",
    rule: "ovon-sender-reply-to",
    ...warned,
    ...set(ovonBye, "/ovon/sender/reply_to", "https://ann.example"),
  },
  {
    name: "an old envelope without events is refused",
    rule: "ovon-events",
    ...refused,
    ...drop(ovonBye, "/ovon/events"),
  },
];
