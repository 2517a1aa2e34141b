import { realpathSync } from "node:fs";
import { createAgent, listen } from "@plenary/sdk";

export const name = "My Agent"; // what people call it
const manifest = {
  identification: {
    speakerUri: "tag:my-agent.example,2026:1", // who it is, on every floor and for good
    conversationalName: name,
    organization: "Example",
    synopsis: "Repeats what it is told.",
  },
  capabilities: [{ keyphrases: ["repeat"], descriptions: ["repeats what it is told"] }], // what others find it by
};

export const agent = createAgent({
  manifest,
  greeting: "Hello! Tell me something.",
  // Put your own words here: what you return is said, and nothing is silence.
  onUtterance({ text, isAddressed, conversation }) {
    // Alone with somebody it always answers; among several it waits to be addressed.
    if (!isAddressed && conversation.conversants?.length > 2) return;
    return `You said: ${text.replace(`@${name}`, "").trim()}`;
  },
});

// Run as a program it listens; imported, as its test does, it does not.
if (import.meta.filename === realpathSync(process.argv[1] ?? ".")) {
  const { url } = await listen(agent, { port: Number(process.env.PORT ?? 8080) });
  console.log(`Invite me at ${url}`);
}
