// The mapping tables beside N1 to N18: unasked utterances, broken connections, addressees, several clients.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { useNemoFloor, wordsOf } from "./nemo-floor.ts";
import type { Cue } from "./scripted-agents.ts";
import type { StockClient } from "./stock-client.ts";

const nemo = useNemoFloor();

/** Closes the socket and waits until the floor has noticed it: frames that were sent before may be lost. */
const gone = async (client: StockClient) => {
  await client.away();
  await nemo.floor.get("/livez");
};

const echo = (name: string) => nemo.agents.start(name, (cue) => cue.say(`you said ${cue.text}`));

test.concurrent("unasked utterances of an agent come first in the next turn", async () => {
  const alice = await echo("Alice");
  const client = await nemo.floor.visit({ agents: [alice] });
  await client.ask("hi");
  const before = client.frames.length;
  await nemo.floor.unasked(client.conversation, alice, "by the way");
  await nemo.floor.unasked(client.conversation, alice, "one more thing");
  const { text } = await client.ask("yes?");
  expect(client.frames.slice(0, before)).toHaveLength(before);
  expect(text.replaceAll(/\s+/gu, " ")).toMatch(/by the way.*one more thing.*you said yes\?/u);
  expect(client.faults).toEqual([]);
});

test.concurrent("utterances from the time when the client was disconnected come first in the next turn, once", async () => {
  const alice = await echo("Alice");
  const client = await nemo.floor.visit({ agents: [alice] });
  await client.ask("hi");
  await gone(client);
  await nemo.floor.unasked(client.conversation, alice, "while you were out");
  await client.back();
  expect((await client.ask("yes?")).text).toMatch(/while you were out[\s\S]*you said yes\?/u);
  expect((await client.ask("more?")).text).not.toContain("while you were out");
  expect(client.faults).toEqual([]);
});

test.concurrent("a connection that breaks during an answer loses nothing and repeats nothing", async () => {
  const alice = await nemo.agents.start("Alice", () => {});
  const client = await nemo.floor.visit({ agents: [alice] });
  client.say("count");
  const [cue] = (await alice.cues.until((all) => all.length === 1, "the question")) as [Cue];
  const onlooker = await nemo.floor.onlooker(cue);
  const story = cue.stream();
  story.write("one ");
  await client.sees("one ");
  await gone(client);
  story.write("two ");
  await onlooker.saw('"two "');
  await client.back();
  story.write("three ");
  await client.sees("three ");
  await gone(client);
  story.finish("one two three four");
  await onlooker.saw("one two three four");
  await client.back();
  expect(wordsOf((await client.done()).text, "Alice")).toBe("one two three four");
  onlooker.close();
  expect(client.faults).toEqual([]);
});

test.concurrent("an answer that begins while the client is disconnected is delivered whole, once", async () => {
  const alice = await nemo.agents.start("Alice", () => {});
  const client = await nemo.floor.visit({ agents: [alice] });
  client.say("count");
  const [cue] = (await alice.cues.until((all) => all.length === 1, "the question")) as [Cue];
  const onlooker = await nemo.floor.onlooker(cue);
  await gone(client);
  const story = cue.stream();
  story.write("one ");
  await onlooker.saw('"one "');
  await client.back();
  story.write("two ");
  await onlooker.saw('"two "');
  story.finish("one two three");
  expect(wordsOf((await client.done()).text, "Alice")).toBe("one two three");
  const asking = client.ask("go on");
  const [, next] = await alice.cues.until((all) => all.length === 2, "the next question");
  (next as Cue).say("four");
  expect((await asking).text).toMatch(/^(?:\*\*Alice:\*\* )?four/u);
  onlooker.close();
  expect(client.faults).toEqual([]);
});

test.concurrent("a message goes to its addressee: by to, by @name, or in private", async () => {
  const [alice, bob] = [await echo("Alice"), await echo("Bob")];
  const client = await nemo.floor.visit({ agents: [alice, bob] });
  await client.ask("hello both");
  await client.ask("you there", { to: { speakerUri: bob.speakerUri } });
  expect(bob.cues.items.at(-1)).toMatchObject({ text: "you there", to: { speakerUri: bob.speakerUri } });
  await client.ask("@Bob and now");
  expect(bob.cues.items.at(-1)).toMatchObject({
    text: expect.stringContaining("and now"),
    to: { speakerUri: bob.speakerUri },
  });
  const whispered = await client.ask("a secret", { to: { speakerUri: bob.speakerUri }, private: true });
  expect(whispered.text).toContain("you said a secret");
  expect(bob.cues.items.at(-1)).toMatchObject({ text: "a secret", to: { private: true } });
  expect(alice.requests.join("\n")).not.toContain("a secret");
  expect(client.faults).toEqual([]);
});

test.concurrent("two conversations of one session share nothing", async () => {
  const alice = await nemo.agents.start("Alice", (cue) => cue.say(`for ${cue.text}`));
  const session = `s-${randomUUID()}`;
  const [one, two] = [
    await nemo.floor.visit({ session, agents: [alice] }),
    await nemo.floor.visit({ session, agents: [alice] }),
  ];
  const [first, second] = await Promise.all([one.ask("one"), two.ask("two")]);
  expect([first, second].map(({ text }) => wordsOf(text, "Alice"))).toEqual(["for one", "for two"]);
  expect([...one.faults, ...two.faults]).toEqual([]);
});

test.concurrent("of two clients of one session in one conversation the newer one continues, and nothing is sent twice", async () => {
  const alice = await nemo.agents.start("Alice", (cue) => (cue.text === "wait" ? undefined : cue.say("at once")));
  const old = await nemo.floor.visit({ agents: [alice] });
  old.say("wait");
  const [cue] = await alice.cues.until((all) => all.length === 1, "the question");
  const { session, conversation } = old;
  const newer = await nemo.floor.visit({ session, conversation });
  const bubble = await newer.ask("is it mine");
  expect(await (cue as Cue).cut).toBe(true);
  expect(wordsOf(bubble.text, "Alice")).toBe("at once");
  expect(old.frames.filter(({ status }) => status === "complete")).toEqual([]);
  expect([...old.faults, ...newer.faults]).toEqual([]);
});

test.concurrent("images and audio reach the agents beside the text, and the agents know the person's name", async () => {
  const alice = await echo("Alice");
  const client = await nemo.floor.visit({ agents: [alice] });
  const url = "https://pictures.example/moon.png";
  const content = [
    { type: "text", text: "what is this?" },
    { type: "image_url", image_url: { url } },
    { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
  ];
  const user = { name: "Ada", email: "ada@people.example", department: "Engines" };
  await client.ask("", { content: { messages: [{ role: "user", content }] }, user });
  const [cue] = alice.cues.items;
  expect(cue?.text).toBe("what is this?");
  expect(JSON.stringify(cue?.features)).toContain(url);
  expect(JSON.stringify(cue?.features)).toContain("UklGRg==");
  expect(alice.requests.join("\n")).toContain('"conversationalName":"Ada"');
  expect(client.faults).toEqual([]);
});
