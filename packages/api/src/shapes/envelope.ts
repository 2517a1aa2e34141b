import * as Type from "typebox";
import { Identification } from "./conversation.ts";
import { Event } from "./entry.ts";

const optional = Type.Optional;
const Word = Type.String();

const OpenFloor = Type.Object(
  {
    schema: optional(Type.Object({ version: optional(Word), url: optional(Word) })),
    conversation: Type.Object({
      id: Word,
      conversants: optional(Type.Array(Type.Object({ identification: Identification }))),
      assignedFloorRoles: optional(Type.Record(Type.String(), Type.Array(Word))),
      floorGranted: optional(Type.Array(Word)),
    }),
    sender: Type.Object({ speakerUri: optional(Word), serviceUrl: optional(Word) }),
    events: Type.Array(Event),
  },
  { $id: "OpenFloor", description: "The content of an envelope." },
);

const documents = {
  openFloor: optional(OpenFloor),
  ovon: optional(Type.Object({}, { additionalProperties: true, description: "the envelope of 0.9.0 to 0.9.3" })),
};

/** The rules of envelopes are those of the protocol; its JSON Schema is `@plenary/protocol/schemas/envelope.json`. */
export const Envelope = Type.Object(documents, {
  $id: "Envelope",
  description: "An envelope under `openFloor` (0.9.4 to 1.1.1) or `ovon` (0.9.0 to 0.9.3).",
  examples: [
    {
      openFloor: {
        schema: { version: "1.1.0" },
        conversation: { id: "c1" },
        sender: { speakerUri: "tag:you.example,2026:me" },
        events: [
          {
            eventType: "utterance",
            parameters: {
              dialogEvent: {
                id: "d1",
                speakerUri: "tag:you.example,2026:me",
                span: { startTime: "2026-11-18T12:00:00Z" },
                features: { text: { mimeType: "text/plain", tokens: [{ value: "What time is it?" }] } },
              },
            },
          },
        ],
      },
    },
  ],
});

export const Refusal = Type.Object(
  {
    index: optional(
      Type.Integer({ description: "the place of the event in the envelope; absent: the whole envelope" }),
    ),
    because: Type.String({ description: "the rule that refused it" }),
    problem: Word,
  },
  { $id: "Refusal" },
);

export const Accepted = Type.Object(
  {
    ...documents,
    refused: optional(Type.Array(Refusal)),
    consequences: optional(
      Type.Array(Type.Object({ ...documents, seq: Type.Integer() }), {
        description:
          "With `Prefer: wait`: the envelopes of this turn that the sender receives; consecutive events of one speaker share an envelope.",
      }),
    ),
  },
  { $id: "Accepted" },
);
