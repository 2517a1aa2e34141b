import { dialogEvent, envelope, multimedia, utterance } from "../bases.ts";
import { drop, type NegativeCase, refused, repairedError, set, warned } from "../case.ts";

const event = "/openFloor/events/0";
const here = `${event}/parameters/dialogEvent`;
const text = `${here}/features/text`;
const noText = { rule: "utterance-text", path: `${here}/features`, ...refused } as const;

const parameterCases: readonly NegativeCase[] = [
  {
    name: "two utterances of an envelope do not share an id",
    rule: "dialog-event-id-once",
    path: "/openFloor/events/1/parameters/dialogEvent/id",
    ...repairedError,
    document: envelope(
      { eventType: "utterance", parameters: { dialogEvent } },
      { eventType: "utterance", parameters: { dialogEvent } },
    ),
  },
  {
    name: "an utterance without parameters is refused",
    rule: "utterance-dialog-event",
    ...refused,
    ...drop(utterance, `${event}/parameters`),
  },
  {
    name: "an utterance whose parameters are null is refused",
    rule: "utterance-dialog-event",
    ...refused,
    ...set(utterance, `${event}/parameters`, null),
  },
  {
    name: "an utterance without dialogEvent is refused",
    rule: "utterance-dialog-event",
    ...refused,
    ...drop(utterance, here),
  },
  {
    name: "an utterance whose dialogEvent is a string is refused",
    rule: "utterance-dialog-event",
    ...refused,
    ...set(utterance, here, "Hello"),
  },
  {
    name: "an utterance whose dialogEvent is a number is refused",
    rule: "utterance-dialog-event",
    ...refused,
    ...set(utterance, here, 42),
  },
  {
    name: "a dialogEvent beside the parameters is understood",
    rule: "utterance-dialog-event",
    path: `${event}/dialogEvent`,
    ...warned,
    document: envelope({ eventType: "utterance", dialogEvent }),
  },
  {
    name: "an utterance takes no other parameter",
    rule: "utterance-parameters",
    ...repairedError,
    ...set(utterance, `${event}/parameters/mood`, "cheerful"),
  },
  {
    name: "a private flag among the parameters is read as meant",
    rule: "utterance-parameters",
    path: event,
    ...warned,
    document: set(utterance, `${event}/parameters/private`, true).document,
    also: [{ rule: "private-in-to", path: `${event}/private`, ...warned }],
  },
  {
    name: "a private flag among the parameters, for nobody, is refused rather than published",
    rule: "private-in-to",
    path: `${event}/private`,
    ...refused,
    document: envelope({ eventType: "utterance", parameters: { dialogEvent, private: true } }),
    also: [{ rule: "utterance-parameters", path: event, ...warned }],
  },
  {
    name: "an utterance without a speaker is the sender's",
    rule: "dialog-event-speaker-uri",
    ...warned,
    ...drop(utterance, `${here}/speakerUri`),
  },
  {
    name: "an utterance with an empty speaker is the sender's",
    rule: "dialog-event-speaker-uri",
    ...warned,
    ...set(utterance, `${here}/speakerUri`, ""),
  },
  {
    name: "an utterance of a number is refused",
    rule: "dialog-event-speaker-uri",
    ...refused,
    ...set(utterance, `${here}/speakerUri`, 7),
  },
  {
    name: "an utterance without features is refused",
    rule: "dialog-event-features",
    ...refused,
    ...drop(utterance, `${here}/features`),
  },
  {
    name: "an utterance without a text feature is refused",
    ...noText,
    ...set(utterance, `${here}/features`, {}),
  },
  {
    name: "an utterance of audio alone is refused",
    ...noText,
    document: drop(multimedia, text).document,
  },
  {
    name: "an utterance without text tokens is refused",
    ...noText,
    document: set(utterance, `${text}/tokens`, []).document,
  },
  {
    name: "an utterance of empty text is refused",
    ...noText,
    document: set(utterance, `${text}/tokens`, [{ value: "" }, { value: "" }]).document,
  },
];

const textCases: readonly NegativeCase[] = [
  {
    name: "a text that is html breaks the text",
    rule: "text-mime-type",
    ...repairedError,
    ...set(utterance, `${text}/mimeType`, "text/html"),
  },
  {
    name: "a text without MIME type is taken as plain",
    rule: "text-mime-type",
    ...repairedError,
    ...drop(utterance, `${text}/mimeType`),
  },
  {
    name: "a MIME type with its halves swapped is understood",
    rule: "text-mime-type",
    ...warned,
    ...set(utterance, `${text}/mimeType`, "plain/text"),
  },
  { name: "a number is no text", rule: "text-value", ...repairedError, ...set(utterance, `${text}/tokens/0/value`, 5) },
  {
    name: "a boolean is no text",
    rule: "text-value",
    ...repairedError,
    ...set(utterance, `${text}/tokens/0/value`, true),
  },
  {
    name: "an object among the text is left out",
    rule: "text-value",
    ...repairedError,
    ...set(utterance, `${text}/tokens/1`, { value: { a: 1 } }),
    path: `${text}/tokens/1/value`,
  },
  {
    name: "an object alone is no text",
    rule: "text-value",
    ...repairedError,
    ...set(utterance, `${text}/tokens/0/value`, { a: 1 }),
    also: [noText],
  },
  {
    name: "a text feature that is a string is no text",
    rule: "feature",
    ...repairedError,
    ...set(utterance, text, "Hello"),
    also: [noText],
  },
];

const html = `${here}/features/html`;
const audio = `${here}/features/audio`;
const ssml = `${here}/features/ssml`;

const mediaCases: readonly NegativeCase[] = [
  {
    name: "html of another type breaks the text",
    rule: "html-mime-type",
    ...repairedError,
    ...set(multimedia, `${html}/mimeType`, "text/markdown"),
  },
  {
    name: "html without MIME type is taken as html",
    rule: "html-mime-type",
    ...repairedError,
    ...drop(multimedia, `${html}/mimeType`),
  },
  {
    name: "a number is no html",
    rule: "html-value",
    ...repairedError,
    ...set(multimedia, `${html}/tokens/0/value`, 7),
  },
  {
    name: "a list is no html",
    rule: "html-value",
    ...repairedError,
    ...set(multimedia, `${html}/tokens/0/value`, ["<b>"]),
  },
  {
    name: "audio of another type breaks the text",
    rule: "audio-mime-type",
    ...repairedError,
    ...set(multimedia, `${audio}/mimeType`, "audio/midi"),
  },
  {
    name: "audio of type video breaks the text",
    rule: "audio-mime-type",
    ...repairedError,
    ...set(multimedia, `${audio}/mimeType`, "video/mpeg"),
  },
  {
    name: "audio without MIME type breaks the text",
    rule: "audio-mime-type",
    ...repairedError,
    ...drop(multimedia, `${audio}/mimeType`),
  },
  {
    name: "audio that is not base64 breaks the text",
    rule: "audio-value",
    ...repairedError,
    ...set(multimedia, `${audio}/tokens/0/value`, "beep!"),
  },
  {
    name: "an object is no audio",
    rule: "audio-value",
    ...repairedError,
    ...set(multimedia, `${audio}/tokens/0/value`, { beep: 1 }),
  },
  {
    name: "ssml of another type breaks the text",
    rule: "ssml-mime-type",
    ...repairedError,
    ...set(multimedia, `${ssml}/mimeType`, "text/xml"),
  },
  {
    name: "half a MIME type for ssml is understood",
    rule: "ssml-mime-type",
    ...warned,
    ...set(multimedia, `${ssml}/mimeType`, "ssml+xml"),
  },
  {
    name: "ssml without its speak element breaks the text",
    rule: "ssml-value",
    ...repairedError,
    ...set(multimedia, `${ssml}/tokens/0/value`, "Hello"),
  },
  {
    name: "ssml of a longer element breaks the text",
    rule: "ssml-value",
    ...repairedError,
    ...set(multimedia, `${ssml}/tokens/0/value`, "<speaker>Hello</speaker>"),
  },
];

export const utteranceCases: readonly NegativeCase[] = [...parameterCases, ...textCases, ...mediaCases];
