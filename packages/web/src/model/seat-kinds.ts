import { foldUri } from "@plenary/protocol";
import type { ConversantView, Entry, SeatKind } from "../wire/types.ts";

export type Seated = Pick<ConversantView, "identification" | "kind">;

/** Who is a person and who an agent, as far as the log and the floor tell. */
export type SeatKinds = {
  hear(entry: Entry): void;
  look(conversants: readonly Seated[]): void;
  of(speakerUri: string): SeatKind | undefined;
};

export function createSeatKinds(): SeatKinds {
  const kinds = new Map<string, SeatKind>();
  const seat = ({ identification, kind }: Seated) => kinds.set(foldUri(identification.speakerUri), kind);
  return {
    hear(entry) {
      if (entry.kind === "seated") seat(entry.seat);
      if (entry.kind === "opened" && entry.owner !== undefined) seat(entry.owner);
      if (entry.kind !== "renamed") return;
      const kind = kinds.get(foldUri(entry.from));
      if (kind !== undefined) kinds.set(foldUri(entry.to), kind);
    },
    look(conversants) {
      for (const conversant of conversants) seat(conversant);
    },
    of: (speakerUri) => kinds.get(foldUri(speakerUri)),
  };
}
