import type { FloorEvent } from "@plenary/protocol";
import * as Type from "typebox";
import { Choice, Time } from "../text-shapes.ts";
import { Identification, OpenedOptions } from "./conversation.ts";

const Text = Type.String();
const Texts = Type.Array(Text);
const Count = Type.Integer({ minimum: 0 });
const True = Type.Literal(true);
const optional = Type.Optional;

/** As senders write it. */
const open = { additionalProperties: true };

/** An event of an envelope. The log keeps events as they were sent, so unknown values occur. */
export const Event = Type.Unsafe<FloorEvent>(
  Type.Object(
    {
      eventType: Text,
      to: optional(
        Type.Object(
          { speakerUri: optional(Text), serviceUrl: optional(Text), private: optional(Type.Boolean()) },
          open,
        ),
      ),
      reason: optional(Text),
      parameters: optional(Type.Object({}, open)),
    },
    { ...open, $id: "Event", description: "An Open Floor event (Inter-Agent Message 1.1.0, section 1.9)." },
  ),
);

const Seat = Type.Object(
  {
    identification: Identification,
    kind: Choice(["person", "agent"]),
    state: Choice(["invited", "joined"]),
    isGuest: optional(True),
    isProvisional: optional(True),
    invitedBy: optional(Text),
    since: Count,
    movedAt: optional(Count),
    dialect: optional(Text),
    misses: Count,
    silences: optional(Count),
    last: optional(Type.Object({ turn: Text, depth: Count })),
    expectedRoles: optional(Texts),
    seesFrom: optional(Count),
  },
  { $id: "Seat", description: "A conversant as the log stores it." },
);

const DeliveryFact = Type.Object(
  {
    id: Text,
    to: Text,
    isInvite: optional(True),
    isAddressed: optional(True),
    whisperer: optional(Text),
    isMore: optional(True),
    isAsked: optional(True),
    also: optional(Type.Array(Type.Object({ to: Text, isAddressed: optional(True), isGone: optional(True) }))),
  },
  { $id: "Delivery", description: "One recipient of an event." },
);

const AddressChange = Type.Object({ speakerUri: Text, serviceUrl: Text });
const LeftOut = Type.Object({ index: Count, because: Text, eventType: optional(Text), problem: optional(Text) });

const common = {
  seq: Type.Integer({ minimum: 1, description: "the number of the entry, without gaps" }),
  at: Time,
  turn: Type.String({ description: "the causal turn (D4)" }),
  causedBy: optional(Type.Integer({ description: "the entry that caused this one" })),
  because: Type.String({ description: "the rule that decided" }),
  trace: optional(Type.String({ description: "the W3C trace id of the turn; not in the brief view" })),
};

function kind<Name extends string, Fields extends Type.TProperties>(name: Name, fields: Fields) {
  return Type.Object({ ...common, kind: Type.Literal(name), ...fields });
}

const by = optional(Type.String({ description: "the conversant that did it; absent: the floor" }));

/** The kinds of entries that a reader may see, with their fields. */
const entryKinds = {
  opened: kind("opened", {
    self: Type.Object({ speakerUri: Text, serviceUrl: optional(Text) }),
    options: OpenedOptions,
    owner: optional(Seat),
  }),
  received: kind("received", {
    sender: Text,
    events: optional(Type.Array(Event, { description: "absent in the brief view" })),
    answers: optional(Text),
    whisperer: optional(Text),
    depth: Count,
    dialect: optional(Text),
    conversantState: optional(Type.Unknown()),
    moved: optional(Texts),
    floors: optional(Texts),
    leftOut: optional(Type.Array(LeftOut)),
    via: optional(Text),
    isPassedOn: optional(True),
    silentTo: optional(Text),
  }),
  event: kind("event", {
    sender: Text,
    event: Event,
    depth: Count,
    target: optional(Text),
    deliveries: Type.Array(DeliveryFact),
    aborts: optional(Texts),
    approvedBy: optional(Text),
    isNotice: optional(True),
    isAgents: optional(True),
    said: optional(Text),
    quota: optional(Text),
  }),
  parked: kind("parked", {
    sender: Text,
    event: optional(Event),
    rest: Type.Union([Type.Array(Event), Count], { description: "for readers other than the sender: the number" }),
    boundElsewhere: optional(Texts),
    moved: optional(Texts),
    depth: Count,
    isAddressed: Type.Boolean(),
    whisperer: optional(Text),
    delivery: optional(DeliveryFact),
    until: optional(Text),
  }),
  unparked: kind("unparked", { parkedSeq: Count }),
  refused: kind("refused", {
    sender: Text,
    event: Event,
    problem: Text,
    whisperer: optional(Text),
    move: optional(AddressChange),
    isSwallowed: optional(True),
  }),
  seated: kind("seated", { seat: Seat, isGranted: optional(True) }),
  renamed: kind("renamed", { from: Text, to: Text, identification: Identification }),
  role: kind("role", { role: Text, speakerUri: optional(Text), isAdded: optional(True), isRemoved: optional(True) }),
  chosen: kind("chosen", { serviceUrl: optional(Text) }),
  paused: kind("paused", { by, aborts: optional(Texts) }),
  resumed: kind("resumed", { by }),
  titled: kind("titled", { by, title: optional(Text) }),
  late: kind("late", { delivery: Text }),
  missed: kind("missed", {
    delivery: Text,
    speakerUri: Text,
    failure: Text,
    detail: optional(Text),
    isUncounted: optional(True),
    move: optional(AddressChange),
  }),
  forwarded: kind("forwarded", { delivery: DeliveryFact, serviceUrl: Text, depth: Count, asker: Text }),
  silent: kind("silent", { speakerUri: Text }),
  held: kind("held", { speakerUri: Text, depth: Count }),
  rebound: kind("rebound", {
    speakerUri: Text,
    serviceUrl: Text,
    aborts: optional(Texts),
    replaces: optional(Text),
  }),
  dismissed: kind("dismissed", { speakerUri: Text, serviceUrl: Text }),
  revealed: kind("revealed", { speakerUri: Text, from: Count }),
  erased: kind("erased", { erases: Count }),
  closed: kind("closed", {}),
};

/** The values of `kind`. */
export const kindNames = Object.keys(entryKinds) as (keyof typeof entryKinds)[];

const HiddenEntry = Type.Object(
  {
    seq: Type.Integer({ minimum: 1 }),
    kind: Type.Literal("hidden"),
    whisper: optional(Type.Object({ at: Time, from: Text, to: optional(Text) })),
  },
  { description: "An entry that the reader may not see. `whisper`: for the owner and the operator." },
);

const VisibleEntry = Type.Union(Object.values(entryKinds) as [(typeof entryKinds)[keyof typeof entryKinds]], {
  $id: "VisibleEntry",
  description: "`kind` selects the fields.",
});

/** An entry of the log as one reader sees it. */
export const Entry = Type.Union([VisibleEntry, HiddenEntry], {
  $id: "Entry",
  description: "An entry of the log, as the reader sees it.",
});
export type Entry = Type.Static<typeof Entry>;
