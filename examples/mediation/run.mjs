// A concierge negotiates in a conversation of its own, a sub-floor, and answers in its own words.
import assert from "node:assert/strict";
import { createAgent, createMediator, listen } from "@plenary/sdk";
import { manifestOf, openFloor } from "../floor.mjs";

const restaurant = (name, hour) =>
  listen(
    createAgent({
      manifest: manifestOf(name, "Has tables."),
      greeting: false,
      onUtterance: ({ text }) => (text.startsWith("Booked") ? "See you!" : `A table at ${hour}.`),
    }),
    { port: 0 },
  );
const [early, late] = await Promise.all([restaurant("early", 18), restaurant("late", 21)]);

const floor = await openFloor();
const concierge = await listen(
  createMediator({
    manifest: manifestOf("concierge", "Books tables."),
    greeting: false,
    // In production, create a key for the concierge: plenary keys add --host --speaker URI
    floor: { url: floor.url, token: floor.token },
    async onUtterance({ text, subFloor }) {
      const behind = await subFloor({ title: "A table", invite: [early.url, late.url] });
      const offers = await behind.ask(`When do you have a table? ${text}`);
      const best = offers.toSorted((one, other) => other.text.localeCompare(one.text))[0];
      const [thanks] = await behind.ask("Booked, then.", { to: best.speakerUri });
      await behind.close();
      return `Done. They said: ${best.text} ${thanks.text}`;
    },
  }),
  { port: 0 },
);

await floor.begin("c", concierge.url);
assert.deepEqual(await floor.say("c", "Late, please."), ["concierge: Done. They said: A table at 21. See you!"]);
// The sub-floor is stored like any other conversation, and listed by its parent.
const { conversations } = await floor.call("/api/v1/conversations?parent=c");
assert.deepEqual(
  conversations.map(({ title, isClosed }) => ({ title, isClosed })),
  [{ title: "A table", isClosed: true }],
);
await floor.close();
await Promise.all([concierge.close(), early.close(), late.close()]);
