import { serverMessages } from "@plenary/nemo";
import * as Type from "typebox";
import { ProblemDocument } from "./problems.ts";
import { Entry } from "./shapes/entry.ts";
import { Envelope, Refusal } from "./shapes/envelope.ts";
import { Choice } from "./text-shapes.ts";

const Word = Type.String();
const optional = Type.Optional;
const idMax = 256;
const id = (expected: string) => Type.String({ minLength: 1, maxLength: idMax, expected });
const Id = id(`a text of 1 to ${idMax} characters`);
const InReplyTo = id("the `delivery` that is answered");
const closed = { additionalProperties: false };
const To = Type.Object({
  speakerUri: optional(Word),
  serviceUrl: optional(Word),
  private: optional(Type.Boolean()),
});

const DraftStep = Type.Object(
  {
    id: Word,
    parent: optional(Word),
    title: Word,
    detail: optional(Word),
    state: Choice(["running", "done", "failed"]),
  },
  { $id: "DraftStep", description: "A step of an agent before its answer (D43)." },
);

/** A piece of an utterance that is still being composed (D30). The finished utterance has the same dialogEventId. */
export const Draft = Type.Object(
  {
    conversation: Word,
    speakerUri: Word,
    dialogEventId: Word,
    to: optional(To),
    delta: optional(Word),
    offset: optional(Type.Integer({ description: "number of characters before `delta`" })),
    step: optional(DraftStep),
    steps: optional(Type.Array(DraftStep)),
    end: optional(Choice(["final", "dropped"])),
  },
  { $id: "Draft", description: "A piece of an utterance that is being composed. Never logged (D30)." },
);
export type Draft = Type.Static<typeof Draft>;

const EntryFrame = Type.Object(
  { entry: Entry, seq: Type.Integer() },
  { $id: "EntryFrame", description: "`view=brief`: an entry of the log." },
);
const EventFrame = Type.Object(
  {
    ...Envelope.properties,
    seq: optional(Type.Integer()),
    id: optional(Type.String({ description: "without `conversation`: the position, for `after`" })),
    relayed: optional(Type.Integer({ description: "of an envelope of another floor: its number, instead of `seq`" })),
  },
  { $id: "EventFrame", description: "Events of one sender, as an envelope in the dialect of the reader." },
);
const DraftFrame = Type.Object({ draft: Draft }, { $id: "DraftFrame", description: "A piece of an utterance." });

const EndFrame = Type.Object(
  { why: Choice(["slow", "failed", "closing", "ended", "gone"]), advice: Word },
  { $id: "EndFrame", description: "The last event of an event stream, named `end`." },
);

/** What a viewer receives. */
export const StreamFrame = Type.Union([EntryFrame, DraftFrame, EventFrame, EndFrame], { $id: "StreamFrame" });

/** What followers of the brief view receive. */
export type BriefFrame = Type.Static<typeof EntryFrame> | Type.Static<typeof DraftFrame>;

const SentEnvelope = Type.Object(
  {
    ...Envelope.properties,
    id: Type.String({ ...Id, description: "chosen by the client; the ack repeats it" }),
    // W3C Baggage: the size that every platform must propagate.
    baggage: optional(
      Type.String({
        maxLength: 8_192,
        expected: "a text of at most 8192 characters",
        description: "W3C Baggage, as the header of `POST /openfloor`",
      }),
    ),
  },
  { $id: "SentEnvelope", ...closed, description: "An envelope. It is acknowledged by its `id`." },
);
const Ack = Type.Object(
  {
    ack: Id,
    seq: Type.Array(Type.Integer(), { description: "the entries of the log that it became" }),
    refused: optional(Type.Array(Refusal)),
  },
  { $id: "Ack", description: "Accepted and durable." },
);
const Nack = Type.Object(
  { nack: Type.Union([Id, Type.Null()]), problem: ProblemDocument },
  { $id: "Nack", description: "Not accepted. `problem.inReplyTo` names the delivery of a refused answer." },
);
const Delivery = Type.Object(
  {
    ...Envelope.properties,
    delivery: Type.String({ description: "answered by `inReplyTo`" }),
    delegated: optional(Type.Literal(true, { description: "the convener must decide on the events" })),
    baggage: optional(Type.String({ description: "W3C Baggage" })),
    traceparent: optional(Type.String({ description: "W3C Trace Context" })),
  },
  { $id: "DeliveryFrame", description: "To an agent: an envelope to answer." },
);
const AnswerFrame = Type.Object(
  { ...Envelope.properties, inReplyTo: InReplyTo, id: optional(Id), baggage: SentEnvelope.properties.baggage },
  {
    $id: "AnswerFrame",
    ...closed,
    description: "Of an agent: the answer to a delivery; empty events: nothing to say.",
  },
);
const SentDraft = Type.Object(
  {
    draft: Type.Object(
      {
        inReplyTo: InReplyTo,
        dialogEventId: id("the id of the finished utterance"),
        delta: optional(Type.String({ expected: "a text" })),
        to: optional(To),
        step: optional(DraftStep),
      },
      { ...closed, expected: "an object" },
    ),
    id: optional(Id),
  },
  { $id: "SentDraft", ...closed, description: "Of an agent: a piece of its answer." },
);

/** Frames that clients send. */
export const sentFrames = { envelope: SentEnvelope, answer: AnswerFrame, draft: SentDraft };

/** The codes with which the floor closes a socket. */
export const closeCodes = {
  1008: "too many frames; connect again later",
  1011: "the floor failed; connect again",
  1012: "the floor closes; connect again",
  1013: "too many streams are open; connect again later",
  4001: "the credential has ended",
  4008: "the client reads too slowly; connect again",
  4009: "a newer socket of this agent has taken over",
  4010: "the speaker is not in the conversation any more",
  4401: "the client did not authenticate in time",
} as const;

const Messages = Type.Object({ messages: Type.Array(Type.Object({}, { additionalProperties: true })) });

/** A message of a client, which may have further fields. */
function toolkitMessage(type: string, fields: Readonly<Record<string, Type.TSchema>>) {
  const ids = { id: optional(Word), conversation_id: optional(Word) };
  return Type.Object({ type: Type.Literal(type), ...ids, ...fields }, { additionalProperties: true });
}

/** The messages of each channel: `from` the floor, and `to` the floor. */
export const channels = {
  viewer: {
    address: "/openfloor/ws",
    description:
      "The log as a speaker sees it, then new entries. Resume with `after`. Envelopes sent by the client are acknowledged by their `id`.",
    from: { EntryFrame, EventFrame, DraftFrame, Ack, Nack },
    to: { SentEnvelope },
  },
  agent: {
    address: "/openfloor/ws?as=agent",
    description: "Deliveries to an agent without a server, and its answers. Open deliveries are repeated after a cut.",
    from: { Delivery, Ack, Nack },
    to: { AnswerFrame, SentDraft, SentEnvelope },
  },
  events: {
    address: "/openfloor/events",
    description:
      "The viewer's channel as Server-Sent Events. Drafts are events named `draft`; the last event is named `end`.",
    from: { EntryFrame, EventFrame, DraftFrame, EndFrame },
    to: {},
  },
  nemo: {
    address: "/websocket",
    description: "Messages of the NeMo Agent Toolkit. The floor reads several notations of each.",
    from: serverMessages,
    to: {
      UserMessage: toolkitMessage("user_message", {
        schema_type: optional(Choice(["generate", "generate_stream", "chat", "chat_stream"])),
        content: Messages,
      }),
      UserInteractionMessage: toolkitMessage("user_interaction_message", { content: Messages }),
      AuthMessage: toolkitMessage("auth_message", {
        payload: Type.Object({ method: Choice(["jwt", "api_key", "basic"]) }, { additionalProperties: true }),
      }),
    },
  },
} as const;
