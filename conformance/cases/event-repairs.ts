import {
  addressed,
  dialogEvent,
  envelope,
  identification,
  invite,
  manifest,
  publishManifests,
  toBot,
  utterance,
} from "../bases.ts";
import { drop, type RepairCase, set } from "../case.ts";

const event = "/openFloor/events/0";
const ann = "tag:ann.example,2025:1";
const bot = "tag:bot.example,2025:1";

const { speakerUri: _, ...nameless } = identification;
const anonymous = { ...manifest, identification: nameless };
const { serviceUrl: serviceEndpoint, ...placeless } = nameless;
const withEndpoint = { ...manifest, identification: { ...placeless, serviceEndpoint } };
const one = { servicingManifests: [manifest] };

export const eventRepairs: readonly RepairCase[] = [
  {
    name: "publishManifest with one manifest becomes publishManifests",
    rule: "event-type-retired",
    document: envelope({ eventType: "publishManifest", parameters: { manifest } }),
    becomes: { "/events/0": { eventType: "publishManifests", parameters: one } },
  },
  {
    name: "publishManifest with lists becomes publishManifests",
    rule: "event-type-retired",
    document: envelope({ eventType: "publishManifest", parameters: one }),
    becomes: { "/events/0": { eventType: "publishManifests", parameters: one } },
  },
  {
    name: "findAssistant becomes getManifests of scope all",
    rule: "event-type-retired",
    document: envelope({ eventType: "findAssistant", to: toBot }),
    becomes: { "/events/0": { eventType: "getManifests", to: toBot, parameters: { recommendScope: "all" } } },
  },
  {
    name: "the history of a context event goes into the invite beside it",
    rule: "event-type-retired",
    document: envelope(
      { eventType: "invite", to: toBot },
      { eventType: "context", to: toBot, parameters: { dialogHistory: [dialogEvent] } },
    ),
    becomes: { "/events": [{ eventType: "invite", to: toBot, parameters: { dialogHistory: [dialogEvent] } }] },
  },
  {
    name: "a context event without an invite is taken off the floor",
    rule: "event-type-retired",
    document: envelope({ eventType: "context", parameters: { dialogHistory: [dialogEvent] } }),
    becomes: { "/events": [] },
  },
  {
    name: "an invite to a speakerUri alone stands",
    rule: "invite-service-url",
    document: drop(invite, `${event}/to/serviceUrl`).document,
    becomes: { "/events/0/to": { speakerUri: bot } },
  },
  {
    name: "an addressee among the parameters of an invite moves out of them",
    rule: "invite-parameters",
    document: envelope({ eventType: "invite", parameters: { to: toBot } }),
    becomes: { "/events/0": { eventType: "invite", to: toBot } },
  },
  {
    name: "a bare URL becomes an addressee by address",
    rule: "to-object",
    document: set(addressed, `${event}/to`, "https://bot.example").document,
    becomes: { "/events/0/to": { serviceUrl: "https://bot.example" } },
  },
  {
    name: "a bare URI becomes an addressee by name",
    rule: "to-object",
    document: set(addressed, `${event}/to`, bot).document,
    becomes: { "/events/0/to": { speakerUri: bot } },
  },
  {
    name: "a list of one addressee becomes that one",
    rule: "to-object",
    document: set(addressed, `${event}/to`, [toBot]).document,
    becomes: { "/events/0/to": toBot },
  },
  {
    name: "a score in percent becomes a fraction",
    rule: "score",
    document: set(publishManifests, `${event}/parameters/servicingManifests/0/score`, 25).document,
    becomes: { "/events/0/parameters/servicingManifests/0/score": 0.25 },
  },
  {
    name: "a manifest with a serviceEndpoint, as 0.9 has it, is at that address",
    rule: "identification-service-url",
    document: envelope({ eventType: "publishManifest", parameters: { manifest: withEndpoint } }),
    becomes: { "/events/0/parameters/servicingManifests/0/identification": { ...identification, speakerUri: ann } },
  },
  {
    name: "a manifest without speakerUri gets that of the sender",
    rule: "identification-speaker-uri",
    document: envelope({ eventType: "publishManifest", parameters: { manifest: anonymous } }),
    becomes: { "/events/0/parameters/servicingManifests/0/identification": { ...identification, speakerUri: ann } },
  },
  {
    name: "a private flag beside to moves into it",
    rule: "private-in-to",
    document: set(utterance, `${event}/private`, true).document,
    becomes: { "/events/0/to/private": true },
    leavesOut: ["/events/0/private"],
  },
  {
    name: "an addressee and a private flag among the parameters of an utterance move out of them",
    rule: "utterance-parameters",
    document: envelope({ eventType: "utterance", parameters: { dialogEvent, to: { speakerUri: bot }, private: true } }),
    becomes: { "/events/0/to": { speakerUri: bot, private: true }, "/events/0/parameters": { dialogEvent } },
  },
  {
    name: "a private flag among the parameters counts, though the one beside to says no",
    rule: "private-in-to",
    document: set(set(utterance, `${event}/private`, false).document, `${event}/parameters/private`, true).document,
    becomes: { "/events/0/to/private": true },
  },
  {
    name: "of two private flags that differ the stricter one counts",
    rule: "private-in-to",
    document: set(set(utterance, `${event}/private`, true).document, `${event}/to/private`, false).document,
    becomes: { "/events/0/to/private": true },
  },
  {
    name: "an event of an unknown type is left out",
    rule: "event-type-known",
    document: envelope({ eventType: "sing" }, { eventType: "bye" }),
    becomes: { "/events": [{ eventType: "bye" }] },
  },
  {
    name: "serviceName becomes department",
    rule: "identification-service-name",
    document: set(publishManifests, `${event}/parameters/servicingManifests/0/identification/serviceName`, "Passports")
      .document,
    becomes: {
      "/events/0/parameters/servicingManifests/0/identification": { ...identification, department: "Passports" },
    },
  },
  {
    name: "one list of layers becomes two",
    rule: "supported-layers",
    document: set(publishManifests, `${event}/parameters/servicingManifests/0/capabilities/0/supportedLayers`, ["text"])
      .document,
    becomes: {
      "/events/0/parameters/servicingManifests/0/capabilities/0/supportedLayers": { input: ["text"], output: ["text"] },
    },
  },
];
