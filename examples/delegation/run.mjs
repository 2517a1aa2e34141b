// A receptionist hands the conversation over to another agent, and yields the floor when that agent has joined.
import assert from "node:assert/strict";
import { createAgent, listen } from "@plenary/sdk";
import { manifestOf, openFloor } from "../floor.mjs";

const weather = await listen(
  createAgent({
    manifest: manifestOf("weather", "Knows the weather."),
    greeting: "The weather office here.",
    onUtterance: ({ text }) => `Sunny, since you ask: ${text}`,
  }),
  { port: 0 },
);
const reception = await listen(
  createAgent({
    manifest: manifestOf("reception", "Knows who knows."),
    greeting: false,
    onUtterance: ({ text, delegate, recommend }) => {
      if (text.includes("rain")) {
        return delegate({
          to: { serviceUrl: weather.url },
          say: "I'll pass you over to the weather office.",
          afterwards: "yield",
          otherwise: "The weather office does not answer. Is there anything else?",
        });
      }
      // Soft delegation: the person may invite the recommended agent.
      const { identification, capabilities } = manifestOf("kitchen", "Cooks.");
      const serviceUrl = "https://kitchen.example/";
      return recommend(
        [{ identification: { ...identification, serviceUrl }, capabilities, score: 0.8 }],
        "Ask the kitchen.",
      );
    },
  }),
  { port: 0 },
);

const floor = await openFloor();
await floor.begin("c", reception.url);
assert.deepEqual(await floor.say("c", "What is there to eat?"), [
  "reception: Ask the kitchen.",
  "reception publishManifests",
]);
assert.deepEqual(await floor.say("c", "Will it rain?"), [
  "reception: I'll pass you over to the weather office.",
  "reception invite",
  "weather acceptInvite",
  "weather: The weather office here.",
  "weather: Sunny, since you ask: Will it rain?",
  "reception yieldFloor",
]);
assert.deepEqual(await floor.say("c", "And tomorrow?"), ["weather: Sunny, since you ask: And tomorrow?"]);
await floor.close();
await Promise.all([reception.close(), weather.close()]);
