import { addressed, bye, envelope, toBot, utterance } from "../bases.ts";
import { drop, type NegativeCase, refused, repairedError, set, warned } from "../case.ts";
import { privateFlagCases } from "./private-flag.ts";

const events = "/openFloor/events";
const here = `${events}/0`;
const { to: _, ...utteranceToAll } = utterance.openFloor.events[0] as { to: unknown };
const whisper = envelope({ ...utteranceToAll, to: { ...toBot, private: true } });

const eventCases: readonly NegativeCase[] = [
  { name: "an envelope without events is refused", rule: "events", ...refused, ...drop(bye, events) },
  {
    name: "events that are an object are refused",
    rule: "events",
    ...refused,
    ...set(bye, events, { eventType: "bye" }),
  },
  { name: "events that are null are refused", rule: "events", ...refused, ...set(bye, events, null) },
  { name: "an event that is a string is refused", rule: "event", ...refused, ...set(bye, here, "bye") },
  { name: "an event that is null is refused", rule: "event", ...refused, ...set(bye, here, null) },
  { name: "an event that is a list is refused", rule: "event", ...refused, ...set(bye, here, [{ eventType: "bye" }]) },
  { name: "an event without eventType is refused", rule: "event-type", ...refused, ...drop(bye, `${here}/eventType`) },
  {
    name: "an eventType that is a number is refused",
    rule: "event-type",
    ...refused,
    ...set(bye, `${here}/eventType`, 7),
  },
  {
    name: "an eventType that is null is refused",
    rule: "event-type",
    ...refused,
    ...set(bye, `${here}/eventType`, null),
  },
  {
    name: "an event of a type that nobody defined is left out",
    rule: "event-type-known",
    ...repairedError,
    ...set(bye, `${here}/eventType`, "shout"),
  },
  {
    name: "an event whose type is in other letters is left out",
    rule: "event-type-known",
    ...repairedError,
    ...set(bye, `${here}/eventType`, "Bye"),
  },
  {
    name: "a whisper event of the old format is left out under openFloor",
    rule: "event-type-known",
    ...repairedError,
    ...set(utterance, `${here}/eventType`, "whisper"),
  },
  {
    name: "an event whose type every object inherits is left out",
    rule: "event-type-known",
    ...repairedError,
    ...set(bye, `${here}/eventType`, "toString"),
  },
  {
    name: "an event whose type is named as a prototype is left out",
    rule: "event-type-known",
    ...repairedError,
    ...set(bye, `${here}/eventType`, "__proto__"),
  },
  {
    name: "one event that is a string refuses the envelope",
    rule: "event",
    path: `${events}/1`,
    ...refused,
    document: envelope({ eventType: "bye" }, "sing" as never, { eventType: "bye" }),
  },
  {
    name: "one event of an unknown type leaves the others",
    rule: "event-type-known",
    path: `${events}/1/eventType`,
    ...repairedError,
    document: envelope({ eventType: "bye" }, { eventType: "sing" }, { eventType: "bye" }),
  },
  {
    name: "a reason that is a number is left out",
    rule: "reason",
    ...repairedError,
    ...set(addressed, `${here}/reason`, 5),
  },
  {
    name: "a reason that is a list is left out",
    rule: "reason",
    ...repairedError,
    ...set(addressed, `${here}/reason`, ["@timedOut"]),
  },
  {
    name: "a reason that is null is left out",
    rule: "reason",
    ...repairedError,
    ...set(addressed, `${here}/reason`, null),
  },
  {
    name: "parameters that are a string are left out",
    rule: "parameters",
    ...repairedError,
    ...set(bye, `${here}/parameters`, "x"),
  },
  {
    name: "parameters that are null are left out",
    rule: "parameters",
    ...repairedError,
    ...set(bye, `${here}/parameters`, null),
  },
  {
    name: "parameters that are a list are left out",
    rule: "parameters",
    ...repairedError,
    ...set(bye, `${here}/parameters`, [1]),
  },
  {
    name: "parameters that are an empty list are read as an empty object",
    rule: "parameters",
    ...warned,
    ...set(bye, `${here}/parameters`, []),
  },
];

const toCases: readonly NegativeCase[] = [
  { name: "a to that is a number is refused", rule: "to-object", ...refused, ...set(addressed, `${here}/to`, 5) },
  { name: "a to that is true is refused", rule: "to-object", ...refused, ...set(addressed, `${here}/to`, true) },
  { name: "a to that is empty text is refused", rule: "to-object", ...refused, ...set(addressed, `${here}/to`, "") },
  {
    name: "a to with two addressees is refused",
    rule: "to-object",
    ...refused,
    ...set(addressed, `${here}/to`, [toBot, toBot]),
  },
  { name: "a to that is null says nothing", rule: "to-object", ...warned, ...set(addressed, `${here}/to`, null) },
  {
    name: "a to that is an empty list says nothing",
    rule: "to-object",
    ...warned,
    ...set(addressed, `${here}/to`, []),
  },
  {
    name: "a to that is a list of one is that one",
    rule: "to-object",
    ...warned,
    ...set(addressed, `${here}/to`, [toBot]),
  },
  {
    name: "a to that is a bare address is understood",
    rule: "to-object",
    ...warned,
    ...set(addressed, `${here}/to`, "https://bot.example/floor"),
  },
  { name: "a to that names nobody is refused", rule: "to-addressee", ...refused, ...set(addressed, `${here}/to`, {}) },
  {
    name: "a whisper to nobody is refused rather than published",
    rule: "to-addressee",
    ...refused,
    ...set(whisper, `${here}/to`, { private: true }),
  },
  {
    name: "a to.speakerUri that is a number is refused",
    rule: "to-speaker-uri",
    ...refused,
    ...set(addressed, `${here}/to/speakerUri`, 5),
  },
  {
    name: "a to.speakerUri that is empty is refused",
    rule: "to-speaker-uri",
    ...refused,
    ...set(addressed, `${here}/to/speakerUri`, ""),
  },
  {
    name: "a to.speakerUri that is null is refused",
    rule: "to-speaker-uri",
    ...refused,
    ...set(addressed, `${here}/to/speakerUri`, null),
  },
  {
    name: "a to.speakerUri that is no URI is kept as a name",
    rule: "to-speaker-uri",
    ...warned,
    ...set(addressed, `${here}/to/speakerUri`, "Parrot"),
  },
  {
    name: "a to.serviceUrl that is a number is left out beside a speakerUri",
    rule: "to-service-url",
    ...repairedError,
    ...set(addressed, `${here}/to/serviceUrl`, 8080),
  },
  {
    name: "a to.serviceUrl that is empty is left out beside a speakerUri",
    rule: "to-service-url",
    ...repairedError,
    ...set(addressed, `${here}/to/serviceUrl`, ""),
  },
  {
    name: "a to whose only name is unusable is refused",
    rule: "to-addressee",
    ...refused,
    ...set(addressed, `${here}/to`, { serviceUrl: 8080 }),
    also: [{ rule: "to-service-url", path: `${here}/to/serviceUrl`, ...repairedError }],
  },
  {
    name: "a to.serviceUrl without a scheme is kept",
    rule: "to-service-url",
    ...warned,
    ...set(addressed, `${here}/to/serviceUrl`, "bot.example"),
  },
  {
    name: "blanks around a to.serviceUrl are cut",
    rule: "to-service-url",
    ...warned,
    ...set(addressed, `${here}/to/serviceUrl`, "https://bot.example/floor\n"),
  },
  ...privateFlagCases,
];

export const eventAndToCases: readonly NegativeCase[] = [...eventCases, ...toCases];
