import { foldUri, type Identification } from "@plenary/protocol";
import { nameOf, type SeatKind } from "@plenary/transcript";

/** An agent whose name is not known by then is named by its address. */
const waitMs = 500;

/** Agents that have just joined and whose manifests, with their names, have not arrived yet. */
export type PendingNames = {
  expect(identification: Identification, kind: SeatKind | undefined, at: string): void;
  named(identification: Identification): void;
  dueMs(speakerUri: string): number | undefined;
};

export function createPendingNames(): PendingNames {
  const due = new Map<string, number>();
  const named = (identification: Identification) => {
    if (nameOf("", identification) !== "") due.delete(foldUri(identification.speakerUri));
  };
  return {
    named,
    expect(identification, kind, at) {
      const isNameless = kind === "agent" && nameOf("", identification) === "";
      if (isNameless) due.set(foldUri(identification.speakerUri), Date.parse(at) + waitMs);
      else named(identification);
    },
    dueMs: (speakerUri) => due.get(foldUri(speakerUri)),
  };
}
