import { type Agent, createAgent } from "@plenary/sdk";
import { manifestOf, type ReadyMadeOptions } from "./identity.ts";

const prefix = "You said: ";
const nothingHeard = "I repeat words, and I heard none.";
/** So often one echo goes round between two agents that repeat each other's words. */
const roundsMax = 3;

/** Repeats what is said to it, and what a person says to everyone; what others say to others it leaves alone. */
export function createEcho(options: ReadyMadeOptions = {}): Agent {
  const manifest = manifestOf(
    {
      name: "echo",
      conversationalName: "Echo",
      synopsis: "Repeats what you say, to show that you were heard.",
      capabilities: [
        {
          keyphrases: ["echo", "repeat", "parrot"],
          descriptions: ["repeats what it is told"],
          supportedLayers: { input: ["text"], output: ["text"] },
        },
      ],
    },
    options,
  );
  return createAgent({
    manifest,
    greeting: "Hello, I am Echo. I repeat what you say.",
    onUtterance({ text, isAddressed, speakerUri, speakerKind }) {
      const isByPerson = speakerKind(speakerUri) !== "agent";
      const rounds = text.split(prefix).length - 1;
      // An echo of an echo is an agent's, even where nothing else shows it.
      if (isAddressed ? rounds >= roundsMax : !isByPerson || rounds > 0) return undefined;
      if (text === "") return isAddressed && isByPerson ? nothingHeard : undefined;
      return `${prefix}${text}`;
    },
  });
}
