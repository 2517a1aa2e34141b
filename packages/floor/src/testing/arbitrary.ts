// Random inputs of a floor.
import type { FloorEvent, Identification, To } from "@plenary/protocol";
import fc from "fast-check";
import type { Command, CommandInput, Facts } from "../input.ts";
import type { FloorOptions } from "../options.ts";
import { ann, ben, chair, identificationOf, owl, parrot, says, urlOf, wren } from "./room.ts";

export const speakers = [ann, ben, parrot, owl, chair, wren];
export const someone = fc.constantFrom(...speakers);
export const stranger = "tag:stranger.example,2025:1";

const addressee: fc.Arbitrary<To> = fc.oneof(
  { weight: 8, arbitrary: someone.map((speakerUri) => ({ speakerUri })) },
  { weight: 2, arbitrary: someone.map((speakerUri) => ({ serviceUrl: urlOf(speakerUri) })) },
  { weight: 1, arbitrary: fc.constant({ speakerUri: stranger, serviceUrl: urlOf(stranger) }) },
  { weight: 1, arbitrary: fc.constant({ speakerUri: "urn:plenary:focal-agent" }) },
);

const words = fc.constantFrom("hello", "well", "again");
let secrets = 0;

function secret(): string {
  secrets += 1;
  return `whisper-${secrets}-`;
}

const event: fc.Arbitrary<FloorEvent> = fc.oneof(
  { weight: 4, arbitrary: words.map((text) => says(ann, text)) },
  { weight: 2, arbitrary: fc.tuple(words, addressee).map(([text, to]) => says(ann, text, to)) },
  { weight: 3, arbitrary: addressee.map((to) => says(ann, secret(), { ...to, private: true })) },
  {
    weight: 3,
    arbitrary: someone.map(
      (one): FloorEvent => ({ eventType: "invite", to: { speakerUri: one, serviceUrl: urlOf(one) } }),
    ),
  },
  { weight: 1, arbitrary: someone.map((one): FloorEvent => ({ eventType: "invite", to: { serviceUrl: urlOf(one) } })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(someone, fc.subarray(["archivist", "convener", "owner", "toString"]))
      .map(([one, expectedFloorRoles]): FloorEvent => {
        return { eventType: "invite", to: { serviceUrl: urlOf(one) }, parameters: { expectedFloorRoles } };
      }),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.constantFrom("uninvite", "grantFloor", "revokeFloor", "requestFloor", "getManifests", "publishManifests"),
        fc.option(addressee, { nil: undefined }),
      )
      .map(([eventType, to]) => ({ eventType, ...(to && { to }) }) as FloorEvent),
  },
  { weight: 3, arbitrary: fc.constantFrom<FloorEvent>({ eventType: "yieldFloor" }, { eventType: "acceptInvite" }) },
  { weight: 1, arbitrary: fc.constantFrom<FloorEvent>({ eventType: "declineInvite" }, { eventType: "bye" }) },
);

export const events = fc.array(event, { minLength: 0, maxLength: 4 });

/** Facts of the server about the names in an envelope. */
export const facts: fc.Arbitrary<Facts> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.uniqueArray(someone, { maxLength: 2 }).map((boundElsewhere) => ({ boundElsewhere })) },
  { weight: 1, arbitrary: fc.uniqueArray(someone, { maxLength: 2 }).map((moved) => ({ moved })) },
);

type CommandSource = readonly [by: CommandInput["by"], speakerUri?: string];

/** Mostly the owner, who is Ann as long as she stays, or the operator; sometimes a caller without the right. */
export const by: fc.Arbitrary<CommandSource> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<CommandSource>(["owner", ann]) },
  { weight: 4, arbitrary: fc.constant<CommandSource>(["operator"]) },
  { weight: 2, arbitrary: fc.constantFrom(ann, ben, parrot).map((one): CommandSource => ["person", one]) },
  { weight: 1, arbitrary: fc.constant<CommandSource>(["link"]) },
  { weight: 1, arbitrary: fc.constantFrom(ben, parrot, chair, stranger).map((one): CommandSource => ["owner", one]) },
);

const addresses = fc.constantFrom(urlOf(parrot), urlOf(owl), "https://elsewhere.example/");

/** Identification fields of a conversant, some of them empty. */
const about = fc.constantFrom<Partial<Identification>>(
  {},
  { organization: "", conversationalName: " ", synopsis: "", role: "User" },
  { conversationalName: "Somebody", synopsis: "Listens.", role: "Listener" },
);

export const orders: fc.Arbitrary<Command> = fc.oneof(
  { weight: 1, arbitrary: someone.map((one) => ({ verb: "convener" as const, speakerUri: one })) },
  { weight: 4, arbitrary: someone.map((one) => ({ verb: "convener" as const, serviceUrl: urlOf(one) })) },
  { weight: 1, arbitrary: fc.constant({ verb: "convener" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constant("role" as const),
      role: fc.constantFrom("archivist", "toString", "convener"),
      speakerUri: someone,
      isAssigned: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(someone, fc.constantFrom("person" as const, "agent" as const), about)
      .map(([one, kind, more]) => {
        return { verb: "seat" as const, identification: { ...identificationOf(one), ...more }, seatKind: kind };
      }),
  },
  { weight: 1, arbitrary: someone.map((one) => ({ verb: "remove" as const, speakerUri: one })) },
  { weight: 2, arbitrary: fc.constant({ verb: "pause" as const }) },
  { weight: 1, arbitrary: fc.constant({ verb: "resume" as const }) },
  { weight: 1, arbitrary: fc.constantFrom({ verb: "title" as const, title: "Trip" }, { verb: "title" as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ verb: fc.constant("rebind" as const), speakerUri: someone, serviceUrl: addresses }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ verb: fc.constant("move" as const), speakerUri: someone, isAllowed: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      verb: fc.constant("reveal" as const),
      speakerUri: someone,
      from: fc.integer({ min: 0, max: 9 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant("erase" as const), seq: fc.integer({ min: 0, max: 40 }) }) },
);

export const options: fc.Arbitrary<Partial<FloorOptions>> = fc.record(
  {
    policy: fc.constantFrom("guarded", "spec"),
    floorEnforcement: fc.constantFrom("table", "advisory"),
    onConvenerFailure: fc.constantFrom("open", "closed"),
    turnDepthMax: fc.constantFrom(2, 16),
    turnAgentEventsMax: fc.constantFrom(3, 64),
    conversantsMax: fc.constantFrom(4, 64),
    turnInvitesMax: fc.constantFrom(1, 8),
    turnUninvitesMax: fc.constantFrom(1, 8),
    turnManifestsMax: fc.constantFrom(1, 16),
    newcomersSee: fc.constantFrom("fromJoin", "everything"),
    guestsMay: fc.constantFrom("speak", "moderate"),
    favoriteAgent: fc.constant(urlOf(owl)),
    convener: fc.constant(urlOf(chair)),
    title: fc.constant("Holidays"),
  },
  { requiredKeys: [] },
);
