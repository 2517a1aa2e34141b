import { bye, envelope, toBot, utterance } from "../bases.ts";
import { type NegativeCase, refused, repairedError, set, warned } from "../case.ts";

const here = "/openFloor/events/0";
const { to: _, ...utteranceToAll } = utterance.openFloor.events[0] as { to: unknown };
const whisper = envelope({ ...utteranceToAll, to: { ...toBot, private: true } });

export const privateFlagCases: readonly NegativeCase[] = [
  {
    name: "a private flag in quotes is read",
    rule: "to-private",
    ...repairedError,
    ...set(whisper, `${here}/to/private`, "true"),
  },
  {
    name: "a private flag of 1 is read as true",
    rule: "to-private",
    ...repairedError,
    ...set(whisper, `${here}/to/private`, 1),
  },
  {
    name: "a private flag that is neither yes nor no is refused",
    rule: "to-private",
    ...refused,
    ...set(whisper, `${here}/to/private`, "perhaps"),
  },
  {
    name: "a private flag with a capital is refused",
    rule: "private-key",
    ...refused,
    ...set(whisper, `${here}/to/Private`, true),
  },
  {
    name: "a private flag in capitals beside to is refused",
    rule: "private-key",
    ...refused,
    ...set(utterance, `${here}/PRIVATE`, true),
  },
  {
    name: "a private flag beside to is read as meant",
    rule: "private-in-to",
    ...warned,
    ...set(utterance, `${here}/private`, true),
  },
  {
    name: "a private flag in quotes beside to is read as meant",
    rule: "private-in-to",
    ...warned,
    ...set(utterance, `${here}/private`, "true"),
  },
  {
    name: "a private flag beside a to that is a bare address is read as meant",
    rule: "private-in-to",
    path: `${here}/private`,
    ...warned,
    document: set(set(utterance, `${here}/private`, true).document, `${here}/to`, "https://bot.example/floor").document,
    also: [{ rule: "to-object", path: `${here}/to`, ...warned }],
  },
  {
    name: "a private flag beside no to is refused rather than published",
    rule: "private-in-to",
    ...refused,
    ...set(envelope(utteranceToAll), `${here}/private`, true),
  },
  {
    name: "a private flag beside a to that says nothing is refused rather than published",
    rule: "private-in-to",
    path: `${here}/private`,
    ...refused,
    document: set(set(utterance, `${here}/private`, true).document, `${here}/to`, null).document,
    also: [{ rule: "to-object", path: `${here}/to`, ...warned }],
  },
  {
    name: "a private flag beside to that is neither yes nor no is refused",
    rule: "private-in-to",
    ...refused,
    ...set(utterance, `${here}/private`, "perhaps"),
  },
  {
    name: "a private flag beside no to that is neither yes nor no is refused",
    rule: "private-in-to",
    ...refused,
    ...set(envelope(utteranceToAll), `${here}/private`, null),
  },
  {
    name: "a false private flag beside no to says nothing",
    rule: "private-in-to",
    ...warned,
    ...set(envelope(utteranceToAll), `${here}/private`, false),
  },
  {
    name: "a private flag beside no to says nothing in an event that is no utterance",
    rule: "private-in-to",
    ...warned,
    ...set(bye, `${here}/private`, true),
  },
  {
    name: "a private flag that is null is refused",
    rule: "to-private",
    ...refused,
    ...set(whisper, `${here}/to/private`, null),
  },
];
