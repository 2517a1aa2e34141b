// Valid envelopes: all twelve events, every form of addressee, manifests, roles, unspecified keys.
import fc from "fast-check";
import type { Peers } from "../dialects/dialect.ts";
import type { Conversation, Envelope, Sender } from "../model/envelope.ts";
import type { EventType, FloorEvent, To } from "../model/event.ts";
import type { Capability, Identification, ScoredManifest } from "../model/manifest.ts";
import { schemaUrlOf, versionsOf } from "../model/version.ts";
import {
  arbitraryDialogEvent,
  arbitrarySpokenEvent,
  serviceUrl,
  some,
  speakerUri,
  text,
  withMore,
} from "./arbitrary-dialog-event.ts";

const role = some("convener", "discovery", "owner", "archivist", "valueOf");

const identification: fc.Arbitrary<Identification> = fc.record(
  {
    speakerUri,
    serviceUrl,
    organization: text,
    conversationalName: text,
    synopsis: text,
    department: text,
    role: text,
    openFloorRoles: fc.dictionary(role, fc.boolean(), { maxKeys: 2, noNullPrototype: true }),
  },
  { requiredKeys: ["speakerUri", "serviceUrl", "organization", "conversationalName", "synopsis"] },
);

const layers = fc.array(some("text", "audio", "ssml"), { maxLength: 3 });
const capability: fc.Arbitrary<Capability> = withMore(
  fc.record(
    {
      keyphrases: fc.array(text, { maxLength: 2 }),
      descriptions: fc.array(text, { maxLength: 2 }),
      languages: fc.array(some("en", "cy", "zh-Hant-TW"), { maxLength: 2 }),
      supportedLayers: withMore(
        fc.oneof(
          fc.record({ input: layers, output: layers }),
          layers.map((both) => ({ input: [...both], output: [...both] })),
        ),
      ),
    },
    { requiredKeys: ["keyphrases", "descriptions"] },
  ),
);

const arbitraryManifest: fc.Arbitrary<ScoredManifest> = withMore(
  fc.record(
    {
      identification: withMore(identification, ["serviceEndpoint", "url", "speakerId"]),
      capabilities: fc.array(capability, { maxLength: 2 }),
      score: fc.oneof(some(0, 0.29, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true }).map(Math.abs)),
    },
    { requiredKeys: ["identification", "capabilities"] },
  ),
);

const flag = { private: fc.boolean() };
const byName = fc.record({ speakerUri, ...flag }, { requiredKeys: ["speakerUri"] });
const byAddress = fc.record({ speakerUri, serviceUrl, ...flag }, { requiredKeys: ["serviceUrl"] });
const to: fc.Arbitrary<To> = withMore(fc.oneof(byName, byAddress));
const inviteTo = withMore(byAddress);

const manifests = fc.array(arbitraryManifest, { maxLength: 2 });
const noParameters = some({});

// `context` has a meaning beside the parameters of a 0.9 event.
const event = <T extends { eventType: string }>(value: fc.Arbitrary<T>) => withMore(value, ["context"]);

const bare = <Name extends EventType>(eventType: Name, requiredKeys: ("eventType" | "to")[] = ["eventType"]) =>
  event(fc.record({ eventType: some(eventType), to, reason: text, parameters: noParameters }, { requiredKeys }));

const eventsByType: { [Name in EventType]: fc.Arbitrary<FloorEvent & { eventType: Name }> } = {
  utterance: event(
    fc.record(
      {
        eventType: some("utterance"),
        to,
        reason: text,
        parameters: fc.record({ dialogEvent: arbitrarySpokenEvent }),
      },
      { requiredKeys: ["eventType", "parameters"] },
    ),
  ),
  invite: event(
    fc.record(
      {
        eventType: some("invite"),
        to: inviteTo,
        reason: text,
        parameters: fc.record(
          {
            dialogHistory: fc.array(fc.oneof(arbitrarySpokenEvent, arbitraryDialogEvent), { maxLength: 2 }),
            expectedFloorRoles: fc.array(role, { maxLength: 2 }),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: ["eventType", "to"] },
    ),
  ),
  uninvite: bare("uninvite", ["eventType", "to"]),
  acceptInvite: bare("acceptInvite"),
  declineInvite: bare("declineInvite"),
  bye: bare("bye"),
  getManifests: event(
    fc.record(
      {
        eventType: some("getManifests"),
        to,
        reason: text,
        parameters: fc.record({ recommendScope: some("internal", "external", "all") }, { requiredKeys: [] }),
      },
      { requiredKeys: ["eventType"] },
    ),
  ),
  publishManifests: event(
    fc.record(
      {
        eventType: some("publishManifests"),
        to,
        reason: text,
        parameters: fc.record({ servicingManifests: manifests, discoveryManifests: manifests }, { requiredKeys: [] }),
      },
      { requiredKeys: ["eventType"] },
    ),
  ),
  requestFloor: bare("requestFloor"),
  grantFloor: bare("grantFloor"),
  revokeFloor: bare("revokeFloor"),
  yieldFloor: bare("yieldFloor"),
};

const arbitraryEvent: fc.Arbitrary<FloorEvent> = fc.oneof(...Object.values(eventsByType));

/** An event and a whisper to the same agent in one envelope. */
const pair = fc
  .tuple(
    fc.oneof(eventsByType.invite, eventsByType.grantFloor, eventsByType.getManifests),
    eventsByType.utterance,
    inviteTo,
  )
  .map(([first, utterance, to]): FloorEvent[] => [
    { ...first, to },
    { ...utterance, to: { ...to, private: true } },
  ]);

/** The answer of an agent with its own manifest. */
const answer = fc.tuple(eventsByType.publishManifests, arbitraryManifest).map(([event, manifest]): FloorEvent[] => {
  const { score: _, ...unscored } = manifest;
  return [{ ...event, parameters: { servicingManifests: [unscored] } }];
});

const events = fc
  .array(
    fc.oneof({ arbitrary: arbitraryEvent.map((one) => [one]), weight: 6 }, { arbitrary: pair, weight: 2 }, answer),
    {
      maxLength: 4,
    },
  )
  .map((runs) => runs.flat());

// The schema allows no further keys in the identification of a conversant.
const conversants = fc.uniqueArray(withMore(fc.record({ identification }), ["persistentState"]), {
  selector: (conversant) => conversant.identification.speakerUri,
  maxLength: 3,
});

/** A conversant with a role or the floor is listed. */
const listed = conversants.chain((list) => {
  const members = fc.subarray(list.map((conversant) => conversant.identification.speakerUri));
  const one = members.map((speakerUris) => speakerUris.slice(0, 1));
  const roles = fc.record({ convener: one, owner: one, archivist: members, valueOf: members }, { requiredKeys: [] });
  return fc.record(
    { conversants: some(list), assignedFloorRoles: roles, floorGranted: members },
    { requiredKeys: ["conversants"] },
  );
});

const conversation: fc.Arbitrary<Conversation> = withMore(
  fc
    .tuple(text, fc.oneof(some({}), listed))
    .map(([id, lists]): Conversation => ({ id: id || "c", ...(lists as Partial<Conversation>) })),
  ["persistentState", "persistent_state"],
);

const sender: fc.Arbitrary<Sender> = withMore(fc.record({ speakerUri, serviceUrl }, { requiredKeys: ["speakerUri"] }), [
  "from",
  "to",
  "replyTo",
  "reply_to",
]);

const schema = withMore(
  fc.record(
    { version: some(...versionsOf["1.1"]), url: some(schemaUrlOf("1.1"), "https://own.example/schema.json") },
    { requiredKeys: ["version"] },
  ),
);

export const arbitraryEnvelope: fc.Arbitrary<Envelope> = fc
  .tuple(withMore(fc.record({ schema, conversation, sender, events }), ["responseCode"]), fc.boolean())
  .map(([envelope, isOfSender]) => ({
    ...envelope,
    events: envelope.events.map((event) => (isOfSender ? ofSender(event, envelope.sender) : event)),
  }))
  .map(withoutSelfRecommendation)
  .map(withIdsOfTheirOwn);

/** In an envelope, no two utterances have the same id. */
function withIdsOfTheirOwn(envelope: Envelope): Envelope {
  const ids = new Set<string>();
  const events = envelope.events.map((event): FloorEvent => {
    if (event.eventType !== "utterance") return event;
    const { dialogEvent } = event.parameters;
    let { id } = dialogEvent;
    while (ids.has(id)) id = `again:${id}`;
    ids.add(id);
    return { ...event, parameters: { dialogEvent: { ...dialogEvent, id } } };
  });
  return { ...envelope, events };
}

/** A history of the sender's own utterances, or the sender's own manifests. */
function ofSender(event: FloorEvent, sender: Sender): FloorEvent {
  const { speakerUri, serviceUrl } = sender;
  if (event.eventType === "invite" && event.parameters?.dialogHistory !== undefined) {
    const dialogHistory = event.parameters.dialogHistory.map((past) => ({ ...past, speakerUri }));
    return { ...event, parameters: { ...event.parameters, dialogHistory } };
  }
  if (event.eventType !== "publishManifests" || event.parameters?.servicingManifests === undefined) return event;
  const servicingManifests = event.parameters.servicingManifests.map((manifest) => ({
    ...manifest,
    identification: { ...manifest.identification, speakerUri, ...(serviceUrl !== undefined && { serviceUrl }) },
  }));
  return { ...event, parameters: { ...event.parameters, servicingManifests } };
}

function withoutSelfRecommendation(envelope: Envelope): Envelope {
  const { speakerUri } = envelope.sender;
  const events = envelope.events.map((event): FloorEvent => {
    if (event.eventType !== "publishManifests" || event.parameters?.discoveryManifests === undefined) return event;
    const discoveryManifests = event.parameters.discoveryManifests.filter(
      ({ identification }) => identification.speakerUri !== speakerUri,
    );
    return { ...event, parameters: { ...event.parameters, discoveryManifests } };
  });
  return { ...envelope, events };
}

/** Which speaker is at which address; both directions need not agree. */
export const arbitraryPeers: fc.Arbitrary<Peers> = fc
  .array(fc.tuple(serviceUrl, speakerUri), { maxLength: 4 })
  .map((pairs) => ({
    speakerUriOf: (address) => pairs.find(([known]) => known === address)?.[1],
    serviceUrlOf: (name) => pairs.find(([, known]) => known === name)?.[0],
  }));
