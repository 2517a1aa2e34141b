import { foldUri, type Identification } from "@plenary/protocol";
import { nameOf, type SeatKind } from "@plenary/transcript";

/** Who has not told a name by then is named by its address. */
const waitMs = 500;

/** Agents that have just come: each tells its name a moment later. */
export type NamesDue = {
  expect(identification: Identification, kind: SeatKind | undefined, at: string): void;
  told(identification: Identification): void;
  dueMs(speakerUri: string): number | undefined;
};

export function createNamesDue(): NamesDue {
  const due = new Map<string, number>();
  const told = (identification: Identification) => {
    if (nameOf("", identification) !== "") due.delete(foldUri(identification.speakerUri));
  };
  return {
    told,
    expect(identification, kind, at) {
      const isNameless = kind === "agent" && nameOf("", identification) === "";
      if (isNameless) due.set(foldUri(identification.speakerUri), Date.parse(at) + waitMs);
      else told(identification);
    },
    dueMs: (speakerUri) => due.get(foldUri(speakerUri)),
  };
}
