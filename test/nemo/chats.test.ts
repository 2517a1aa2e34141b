// Many chats in one tab: the web client keeps one socket for all of them, and shows the one that is selected.
import { expect, test } from "vitest";
import { useNemoFloor, wordsOf } from "./nemo-floor.ts";
import type { Cue } from "./scripted-agents.ts";

const nemo = useNemoFloor();

test.concurrent("twenty chats share one socket, and the first one continues after the last", async () => {
  const echo = await nemo.agents.start("Echo", (cue) => cue.say(`you said ${cue.text}`));
  const client = await nemo.floor.visit({ agents: [echo] });
  const chats = [];
  for (let count = 1; count <= 20; count += 1) {
    const chat = client.chat();
    chats.push(chat);
    expect((await chat.ask(`hello ${count}`)).text).toContain(`you said hello ${count}`);
  }
  for (const { id } of chats) {
    const again = client.chat(id);
    expect(wordsOf((await again.ask("and again")).text, "Echo")).toBe("you said and again");
    expect(again.faults).toEqual([]);
    expect(again.shown.bubbles).toHaveLength(2);
  }
  expect(client.opened()).toBe(1);
});

test.concurrent("an utterance of a chat that is not selected comes with the next message of that chat, once", async () => {
  const held: Cue[] = [];
  const slow = await nemo.agents.start("Slow", (cue) => {
    if (cue.text === "count") held.push(cue);
    else cue.say(`you said ${cue.text}`);
  });
  const client = await nemo.floor.visit({ agents: [slow] });
  const first = client.chat();
  first.say("count");
  const [cue] = (await slow.cues.until((all) => all.length === 1, "the question")) as [Cue];
  const onlooker = await nemo.floor.onlooker(cue);
  const story = cue.stream();
  story.write("one ");
  await first.sees("one ");
  const second = client.chat();
  expect((await second.ask("hello")).text).toContain("you said hello");
  story.write("two ");
  await onlooker.saw('"two "');
  story.finish("one two three");
  await onlooker.saw("one two three");
  await nemo.floor.unasked(first.id, slow, "by the way");
  // The client drops a frame of the first chat here and records a fault.
  expect((await second.ask("still here")).text).toContain("you said still here");
  expect(second.faults).toEqual([]);
  const { text } = await client.chat(first.id).ask("go on");
  expect(text.replaceAll(/\s+/gu, " ")).toMatch(/two three.*by the way.*you said go on/u);
  expect(text).not.toContain("one two");
  expect(text).not.toContain("stopped");
  expect((await client.chat(first.id).ask("more")).text).not.toContain("by the way");
  expect(first.faults).toEqual([]);
  onlooker.close();
});
