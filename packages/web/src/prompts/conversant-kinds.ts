import { foldUri } from "@plenary/protocol";
import type { ConversantView, Entry, SeatKind } from "../api/types.ts";

export type ConversantRef = Pick<ConversantView, "identification" | "kind">;

/** Kinds of conversants, from the log and the server's view. */
export type ConversantKinds = {
  readEntry(entry: Entry): void;
  readConversants(conversants: readonly ConversantRef[]): void;
  of(speakerUri: string): SeatKind | undefined;
};

export function createConversantKinds(): ConversantKinds {
  const kinds = new Map<string, SeatKind>();
  const seat = ({ identification, kind }: ConversantRef) => kinds.set(foldUri(identification.speakerUri), kind);
  return {
    readEntry(entry) {
      if (entry.kind === "seated") seat(entry.seat);
      if (entry.kind === "opened" && entry.owner !== undefined) seat(entry.owner);
      if (entry.kind !== "renamed") return;
      const kind = kinds.get(foldUri(entry.from));
      if (kind !== undefined) kinds.set(foldUri(entry.to), kind);
    },
    readConversants(conversants) {
      for (const conversant of conversants) seat(conversant);
    },
    of: (speakerUri) => kinds.get(foldUri(speakerUri)),
  };
}
