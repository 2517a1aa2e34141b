import type { Entry, Floor } from "@plenary/floor";

/** Key of the operator, who sees every title. It is not a speakerUri. */
export const operatorKey = "";

/**
 * The speakers that learn the title, or its removal, from this entry. A conversant that left still sees the title of that
 * time.
 */
export function titleReadersIn(entry: Entry, { conversants, options }: Floor): readonly string[] {
  switch (entry.kind) {
    case "opened": {
      const { owner } = entry;
      if (options.title === undefined) return [];
      return owner === undefined ? [operatorKey] : [operatorKey, owner.identification.speakerUri];
    }
    case "titled":
      return [operatorKey, ...conversants.map(({ identification }) => identification.speakerUri)];
    case "seated":
      return [entry.seat.identification.speakerUri];
    case "renamed":
      return [entry.to];
    default:
      return [];
  }
}
