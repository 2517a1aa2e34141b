import { createAgent, listen } from "@plenary/sdk";

const manifest = {
  identification: {
    speakerUri: "tag:echo.example,2025:1",
    organization: "Example",
    conversationalName: "Echo",
    synopsis: "Repeats what it hears.",
  },
  capabilities: [{ keyphrases: ["echo"], descriptions: ["repeats what it hears"] }],
};
const agent = createAgent({ manifest, onUtterance: ({ text }) => `You said: ${text}` });
await listen(agent, { port: 8080 });
