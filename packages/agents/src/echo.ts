import { type Agent, createAgent } from "@plenary/sdk";
import { manifestOf, type ReadyMadeOptions } from "./identity.ts";

const prefix = "You said: ";
const nothingHeard = "I can only repeat text, and there was none.";
/** Limits the loop between two agents that repeat each other. */
const roundsMax = 3;

/** Repeats utterances addressed to it and public utterances of persons. */
export function createEcho(options: ReadyMadeOptions = {}): Agent {
  const manifest = manifestOf(
    {
      name: "echo",
      conversationalName: "Echo",
      synopsis: "Repeats what you say, to show that you were heard.",
      keyphrases: ["echo", "repeat", "parrot"],
      descriptions: ["repeats what you say"],
    },
    options,
  );
  return createAgent({
    manifest,
    greeting: "Hello, I am Echo. I repeat what you say.",
    onUtterance({ text, isAddressed, speakerUri, speakerKind }) {
      const isByPerson = speakerKind(speakerUri) !== "agent";
      const rounds = text.split(prefix).length - 1;
      // The prefix shows an echo, also if the sender is not known to be an agent.
      if (isAddressed ? rounds >= roundsMax : !isByPerson || rounds > 0) return undefined;
      if (text === "") return isAddressed && isByPerson ? nothingHeard : undefined;
      return `${prefix}${text}`;
    },
  });
}
