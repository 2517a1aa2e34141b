import { ovon, ovonBye, ovonDialogEvent, ovonInvite, ovonUtterance, ovonWhisper } from "../bases.ts";
import { drop, type NegativeCase, refused, repairedError, set, warned } from "../case.ts";

const event = "/ovon/events/0";

const eventCases: readonly NegativeCase[] = [
  { name: "an old event that is a string is refused", rule: "ovon-event", ...refused, ...set(ovonBye, event, "bye") },
  {
    name: "an old event without eventType is refused",
    rule: "ovon-event-type",
    ...refused,
    ...drop(ovonBye, `${event}/eventType`),
  },
  {
    name: "an event of Open Floor is left out under ovon",
    rule: "ovon-event-type-known",
    ...repairedError,
    ...set(ovonBye, `${event}/eventType`, "yieldFloor"),
  },
  {
    name: "an event whose type is an inherited name is left out under ovon",
    rule: "ovon-event-type-known",
    ...repairedError,
    ...set(ovonBye, `${event}/eventType`, "toString"),
  },
  {
    name: "acknowledge says nothing",
    rule: "ovon-acknowledge",
    ...warned,
    ...set(ovonBye, `${event}/eventType`, "acknowledge"),
  },
  { name: "an old to that is a number is refused", rule: "ovon-to", ...refused, ...set(ovonInvite, `${event}/to`, 5) },
  {
    name: "an old to that is an object is understood",
    rule: "ovon-to",
    ...warned,
    ...set(ovonInvite, `${event}/to`, { serviceUrl: "https://bot.example" }),
  },
  { name: "an old to that is null says nothing", rule: "ovon-to", ...warned, ...set(ovonBye, `${event}/to`, null) },
  {
    name: "an old private flag in quotes is read",
    rule: "ovon-private",
    ...repairedError,
    ...set(ovonWhisper, `${event}/private`, "true"),
  },
  {
    name: "an old private flag that is neither yes nor no is refused",
    rule: "ovon-private",
    ...refused,
    ...set(ovonWhisper, `${event}/private`, "perhaps"),
  },
  {
    name: "old parameters are an object",
    rule: "ovon-parameters",
    ...repairedError,
    ...set(ovonBye, `${event}/parameters`, "x"),
  },
  {
    name: "old parameters that are an empty list are read as an empty object",
    rule: "ovon-parameters",
    ...warned,
    ...set(ovonBye, `${event}/parameters`, []),
  },
  {
    name: "a reason that is no text means nothing under ovon",
    rule: "ovon-later-keys",
    ...warned,
    ...set(ovonBye, `${event}/reason`, 5),
  },
  {
    name: "an invite whose address is in the parameters is understood",
    rule: "ovon-invite-to",
    path: `${event}/parameters`,
    ...warned,
    document: ovon({ eventType: "invite", parameters: { to: { url: "https://bot.example" } } }),
  },
  ...(
    [
      ["invite", "ovon-invite-parameters"],
      ["bye", "ovon-bye-parameters"],
      ["requestManifest", "ovon-request-manifest-parameters"],
      ["findAssistant", "ovon-find-assistant-parameters"],
    ] as const
  ).map(
    ([eventType, rule]): NegativeCase => ({
      name: `${eventType} takes no parameters in 0.9`,
      rule,
      path: `${event}/parameters/urgent`,
      ...repairedError,
      document: ovon({ eventType, to: "https://bot.example", parameters: { urgent: true } }),
    }),
  ),
];

const said = `${event}/parameters/dialogEvent`;

const dialogEventCases: readonly NegativeCase[] = [
  {
    name: "an old utterance without dialogEvent is refused",
    rule: "ovon-dialog-event",
    ...refused,
    ...drop(ovonUtterance, said),
  },
  {
    name: "an old utterance without parameters is refused",
    rule: "ovon-dialog-event",
    ...refused,
    ...drop(ovonUtterance, `${event}/parameters`),
  },
  {
    name: "a whisper whose dialogEvent is a string is refused",
    rule: "ovon-dialog-event",
    ...refused,
    ...set(ovonWhisper, said, "psst"),
  },
  {
    name: "an old dialogEvent beside the parameters is understood",
    rule: "ovon-dialog-event",
    path: `${event}/dialogEvent`,
    ...warned,
    document: ovon({ eventType: "utterance", dialogEvent: ovonDialogEvent }),
  },
  {
    name: "an old utterance takes no other parameter",
    rule: "ovon-utterance-parameters",
    ...repairedError,
    ...set(ovonUtterance, `${event}/parameters/mood`, "good"),
  },
  {
    name: "an old utterance without text is refused",
    rule: "ovon-text",
    ...refused,
    ...set(ovonUtterance, `${said}/features`, {}),
  },
  {
    name: "a whisper of empty text is refused",
    rule: "ovon-text",
    path: `${said}/features`,
    ...refused,
    document: set(ovonWhisper, `${said}/features/text/tokens`, []).document,
  },
  {
    name: "an old dialog event without speaker is the sender's",
    rule: "ovon-speaker-id",
    ...warned,
    ...drop(ovonUtterance, `${said}/speakerId`),
  },
  {
    name: "an old speaker id is no number",
    rule: "ovon-speaker-id",
    ...repairedError,
    ...set(ovonUtterance, `${said}/speakerId`, 7),
  },
  {
    name: "an old speaker named as in Open Floor is understood",
    rule: "ovon-speaker-id",
    ...warned,
    ...set(drop(ovonUtterance, `${said}/speakerId`).document, `${said}/speakerUri`, "tag:ann.example,2025:1"),
  },
  {
    name: "an old context is plain text",
    rule: "ovon-context",
    ...repairedError,
    ...set(ovonWhisper, `${said}/context`, { at: "a party" }),
  },
  {
    name: "an old context beside the parameters is understood",
    rule: "ovon-context",
    ...warned,
    ...set(ovonUtterance, `${event}/context`, "a party"),
  },
];

export const ovonEventCases: readonly NegativeCase[] = [...eventCases, ...dialogEventCases];
