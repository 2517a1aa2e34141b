import { realpathSync } from "node:fs";
import { createAgent, listen } from "@plenary/sdk";

export const name = "My Agent"; // the display name
const manifest = {
  identification: {
    speakerUri: "tag:my-agent.example,2026:1", // its identity on every floor; it never changes
    conversationalName: name,
    organization: "Example",
    synopsis: "Repeats what it is told.",
  },
  capabilities: [{ keyphrases: ["repeat"], descriptions: ["repeats what it is told"] }], // for discovery
};

export const agent = createAgent({
  manifest,
  greeting: "Hello! Tell me something.",
  // Put your own answer here: the agent says what you return; undefined says nothing.
  onUtterance({ text, isAddressed, conversation }) {
    // It always answers one person; among several participants it waits to be addressed.
    if (!isAddressed && conversation.conversants?.length > 2) return;
    return `You said: ${text.replace(`@${name}`, "").trim()}`;
  },
});

// Listens when run as a program, not when imported by its test.
if (import.meta.filename === realpathSync(process.argv[1] ?? ".")) {
  const { url } = await listen(agent, { port: Number(process.env.PORT ?? 8080) });
  console.log(`Invite me at ${url}`);
}
