// A channel speaks for another agent. This one rewrites its answers in plain words.
import assert from "node:assert/strict";
import { createAgent, createChannel, listen } from "@plenary/sdk";
import { manifestOf, openFloor } from "../floor.mjs";

const oracle = await listen(
  createAgent({
    manifest: manifestOf("oracle", "Knows everything."),
    greeting: "I am the oracle.",
    onUtterance: ({ text }) => `Verily: ${text}`,
  }),
  { port: 0 },
);
const plainly = await listen(
  createChannel({
    manifest: manifestOf("plainly", "The oracle in plain words."),
    target: { serviceUrl: oracle.url },
    render: { out: ({ text }) => text.replace("Verily: ", "Yes, really. ") },
  }),
  { port: 0 },
);

const floor = await openFloor();
await floor.begin("c", plainly.url);
// The sender is the channel. The speaker is still the oracle.
assert.deepEqual(await floor.say("c", "It will rain."), ["plainly for oracle: Yes, really. It will rain."]);
assert.deepEqual(await floor.say("c", "And between us?", "tag:agents.example,2026:plainly"), [
  "plainly for oracle (whispering): Yes, really. And between us?",
]);
await floor.close();
await Promise.all([plainly.close(), oracle.close()]);
