import * as Type from "typebox";
import { Choice, Flag, Line, Text, Time, Uri, WebUrl, WholeNumber } from "../text-shapes.ts";

const Word = Type.String();
const Words = Type.Array(Word);
const Count = Type.Integer({ minimum: 0 });
const optional = Type.Optional;
const closed = { additionalProperties: false };

/** An identification as answers show it. */
export const Identification = Type.Object(
  {
    speakerUri: Word,
    serviceUrl: Word,
    organization: Word,
    conversationalName: Word,
    synopsis: Word,
    department: optional(Word),
    role: optional(Word),
    openFloorRoles: optional(Type.Record(Type.String(), Type.Boolean())),
  },
  { $id: "Identification", description: "Assistant Manifest 1.0.1, section 1.6." },
);

/** The official samples write unknown texts as empty strings: absent. */
const GivenText = Type.String({ maxLength: 2_048, expected: "a text of at most 2048 characters" });

/** An identification in a request: only the speakerUri is needed. */
export const GivenIdentification = Type.Object(
  {
    speakerUri: Uri(),
    serviceUrl: optional(GivenText),
    organization: optional(GivenText),
    conversationalName: optional(GivenText),
    synopsis: optional(GivenText),
    department: optional(GivenText),
    role: optional(GivenText),
    openFloorRoles: optional(
      Type.Record(Type.String(), Type.Boolean(), {
        expected: 'an object of true and false, such as {"convener": true}',
      }),
    ),
  },
  {
    $id: "GivenIdentification",
    expected: "an object with a speakerUri",
    description: "As in a manifest. An empty text counts as absent, and an unknown field is ignored.",
  },
);

const durationMax = 86_400_000;
const limit = (description: string) => optional(WholeNumber(1, durationMax, { description }));

export const Title = Line(200, "The title of a conversation.");

/** The options of a conversation, in requests. */
const optionFields = {
  title: optional(Title),
  parent: optional(Text({ description: "id of the parent conversation; this one is its sub-floor" })),
  convener: optional(WebUrl("serviceUrl of the convener agent")),
  favoriteAgent: optional(WebUrl("serviceUrl of the agent that is invited back when the last agent leaves")),
  policy: optional(Choice(["guarded", "spec"])),
  floorEnforcement: optional(Choice(["table", "advisory"])),
  onConvenerFailure: optional(Choice(["open", "closed"])),
  newcomersSee: optional(
    Choice(["fromJoin", "everything"], { description: "whether new conversants see earlier entries" }),
  ),
  guestsMay: optional(
    Choice(["speak", "moderate"], { description: "`moderate`: guests may also remove and silence the owner's agents" }),
  ),
  whisperAnswers: optional(
    Choice(["private", "asWritten"], {
      default: "private",
      description:
        "a public answer to a private utterance becomes private to the sender of that utterance, or stays as written. Under the policy `spec` it always stays as written.",
    }),
  ),
  agentTimeoutMs: limit("timeout for an agent's answer; default: the floor's"),
  convenerDeadlineMs: limit("timeout for the convener's answer"),
  requestHeldMs: limit("how long a request for the floor may wait for the convener"),
  turnDepthMax: limit("answers to answers in one turn"),
  turnAgentEventsMax: limit("events of agents in one turn"),
  sameTextMax: limit("repetitions of one text by one agent in one turn"),
  missesMax: limit("missed answers in a row before an agent is removed"),
  conversantsMax: limit("conversants in the conversation"),
  convenerEventsMax: limit("events in one answer of the convener"),
  turnInvitesMax: limit("invites of one agent in one turn"),
  turnUninvitesMax: limit("uninvites of one agent in one turn"),
  turnManifestsMax: limit("manifest events of one agent in one turn"),
};

export const NewConversation = Type.Object(
  {
    id: optional(Text({ description: "default: a new id" })),
    owner: optional(
      Type.Object(
        { identification: GivenIdentification },
        { ...closed, expected: "an object with an identification", description: "default: the caller" },
      ),
    ),
    ...optionFields,
  },
  { ...closed, examples: [{ title: "Planning", convener: "https://floor.example/agents/convener-queue" }] },
);
export type NewConversation = Type.Static<typeof NewConversation>;

const { title, ...others } = optionFields;
const limitOf = Type.Integer({ minimum: 1 });

/** The options in effect, without the title. */
const options = {
  ...others,
  policy: Word,
  floorEnforcement: Word,
  onConvenerFailure: Word,
  newcomersSee: Word,
  convenerDeadlineMs: limitOf,
  requestHeldMs: limitOf,
  turnDepthMax: limitOf,
  turnAgentEventsMax: limitOf,
  sameTextMax: limitOf,
  missesMax: limitOf,
  conversantsMax: limitOf,
  convenerEventsMax: limitOf,
  turnInvitesMax: limitOf,
  turnUninvitesMax: limitOf,
  turnManifestsMax: limitOf,
};

/** The options in the first entry of the log. */
export const OpenedOptions = Type.Object({ ...options, title }, { $id: "Options" });

const Conversant = Type.Object(
  {
    identification: Identification,
    kind: Choice(["person", "agent"]),
    state: Choice(["invited", "joined"]),
    since: Type.Integer({ description: "the entry at which it was seated" }),
    misses: Type.Integer({ minimum: 0, description: "missed answers in a row" }),
    hasFloor: Type.Boolean(),
    invitedBy: optional(Word),
    dialect: optional(Choice(["1.1", "1.0", "0.9"])),
    presence: optional(
      Choice(["here", "away"], {
        description: "of people, in the current state: `here` with an open stream and for 60 seconds after",
      }),
    ),
  },
  { $id: "Conversant" },
);
export type Conversant = Type.Static<typeof Conversant>;

const AddressMove = Type.Object(
  { speakerUri: Word, serviceUrl: Word, name: optional(Word), boundTo: optional(Word) },
  { description: "An agent that answered from a new address." },
);

export const Conversation = Type.Object(
  {
    id: Word,
    title: optional(Word),
    seq: Count,
    isClosed: Type.Boolean(),
    isPaused: Type.Boolean(),
    conversants: Type.Array(Conversant),
    floorGranted: Words,
    assignedFloorRoles: Type.Record(Type.String(), Words),
    owner: optional(Word),
    floorRequested: Words,
    options: Type.Object(options, { description: "The options in effect." }),
    awaited: optional(
      Type.Array(Word, { description: "speakerUris of agents whose answer is pending; current state only" }),
    ),
    moves: optional(Type.Array(AddressMove, { description: "for owner and operator" })),
  },
  { $id: "Conversation" },
);
export type Conversation = Type.Static<typeof Conversation>;

export const ConversationSummary = Type.Object(
  {
    id: Word,
    title: optional(Word),
    parent: optional(Word),
    seq: Count,
    startedAt: Time,
    updatedAt: Time,
    isClosed: Flag(),
  },
  { $id: "ConversationSummary" },
);
export type ConversationSummary = Type.Static<typeof ConversationSummary>;
