import * as Type from "typebox";
import { WholeNumber } from "../text-shapes.ts";

/** The reader, for credentials with several speakers. Guards read it on every path of a conversation. */
export const speakerQuery = {
  speaker: Type.Optional(
    Type.String({ description: "read or act as this conversant; without it, the operator sees no whispers" }),
  ),
};

export const limitQuery = {
  limit: Type.Optional(WholeNumber(1, 1_000, { description: "1 to 1000", default: 100 })),
};

export function cursorQuery(description: string) {
  return { after: Type.Optional(Type.String({ description })) };
}

export const idempotency = {
  "Idempotency-Key": "A repetition within 24 hours gets the same response and has no second effect.",
};
