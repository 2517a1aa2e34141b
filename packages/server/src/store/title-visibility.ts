import type { Entry, Floor } from "@plenary/floor";

/** Knows every title, and is nobody's speakerUri: whoever runs the floor. */
export const overseer = "";

/**
 * Who learns with this entry what the conversation is called, or that it is called nothing. Whoever has left is told no
 * more: the title it knew is the one it is shown.
 */
export function learnersIn(entry: Entry, { conversants, options }: Floor): readonly string[] {
  switch (entry.kind) {
    case "opened": {
      const { owner } = entry;
      if (options.title === undefined) return [];
      return owner === undefined ? [overseer] : [overseer, owner.identification.speakerUri];
    }
    case "titled":
      return [overseer, ...conversants.map(({ identification }) => identification.speakerUri)];
    case "seated":
      return [entry.seat.identification.speakerUri];
    case "renamed":
      return [entry.to];
    default:
      return [];
  }
}
