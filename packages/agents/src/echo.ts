import { type Agent, createAgent } from "@plenary/sdk";
import { manifestOf, type ReadyMadeOptions } from "./identity.ts";

/** Repeats what is said to it or to everyone; what others say to others it leaves alone. */
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
    onUtterance: ({ text }) => (text === "" ? undefined : `You said: ${text}`),
  });
}
