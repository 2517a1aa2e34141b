import { expect, test } from "vitest";
import { ann, bob, bot, envelopeOf, type Json, utterance, wordsIn } from "../support/envelopes.ts";
import { seeded } from "../support/random.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { type Client, openSocket } from "../support/test-client.ts";
import { slowStore } from "./slow-store.ts";

const cuts = 100;
const words = 140;
// A hundred connections take long on a busy machine.
const timeoutMs = 60_000;

/** Reconnects after each cut, with the cursor of the last received frame. */
async function follow(floor: TestFloor, isWide: boolean, isCut: () => boolean, isEnd: (word: string) => boolean) {
  const heard: string[] = [];
  let made = 0;
  let after: string | undefined;
  for (;;) {
    const place = isWide ? {} : { conversation: "c1" };
    const client = await openSocket(floor, { speaker: bob, ...place, ...(after && { after }) });
    let read = 0;
    const take = (all: readonly Json[]) => {
      for (const frame of all.slice(read)) {
        read += 1;
        if (frame.seq === undefined) continue;
        heard.push(...wordsIn(frame));
        after = String(isWide ? frame.id : frame.seq);
        if (made < cuts && isCut()) return true;
        if (isEnd(heard.at(-1) ?? "")) return true;
      }
      return false;
    };
    await client.frames.until(take, `a cut or the end, after ${heard.length} words`);
    client.ws.terminate();
    await client.closed;
    if (isEnd(heard.at(-1) ?? "")) return { heard, made };
    made += 1;
  }
}

test.each([
  ["one conversation", false],
  ["all conversations", true],
])(
  "a viewer of %s that is cut 100 times at random misses no entry and gets none twice",
  async (_name, isWide) => {
    const floor = await startTestFloor({ retries: "default", store: slowStore(seeded(3)) });
    await floor.openConversation("c1", [ann, bob]);
    const random = seeded(7);
    const said = Array.from({ length: words }, (_, index) => `word ${index}`);
    const last = said.at(-1) ?? "";
    const following = follow(
      floor,
      isWide,
      () => random(4) > 0,
      (word) => word === last,
    );
    for (const word of said) await floor.speak("c1", ann, word);
    const { heard, made } = await following;
    expect(heard).toEqual(said);
    expect(made).toBe(cuts);
    expect(floor.errors).toEqual([]);
    await floor.close();
  },
  timeoutMs,
);

/** Echoes each delivery once, over any number of sockets. */
async function echo(floor: TestFloor, random: (below: number) => number, isOver: () => boolean) {
  const answered = new Map<string, Json>();
  const order: string[] = [];
  let made = 0;
  const answerTo = (frame: Json): Json => {
    const id = String(frame.delivery);
    const known = answered.get(id);
    if (known !== undefined) return known;
    const [word] = wordsIn(frame);
    if (word !== undefined) order.push(word);
    const fresh = { ...envelopeOf("c1", bot, word ? [utterance(bot, `echo ${word}`)] : []), inReplyTo: id };
    answered.set(id, fresh);
    return fresh;
  };
  const serve = async (agent: Client): Promise<boolean> => {
    let read = 0;
    await agent.frames.until((all) => {
      for (const frame of all.slice(read)) {
        read += 1;
        if (frame.delivery === undefined) continue;
        // The cut comes before the answer, right after it, or not at all.
        const fate = made < cuts ? random(4) : 3;
        if (fate !== 0) agent.send(answerTo(frame));
        if (fate < 3) return true;
      }
      return isOver();
    }, "a delivery");
    return isOver();
  };
  for (let isDone = false; !isDone; ) {
    const agent = await openSocket(floor, { speaker: bot, as: "agent" });
    isDone = await serve(agent);
    if (!isDone) made += 1;
    agent.ws.terminate();
    await agent.closed;
  }
  return { order, made };
}

test(
  "an agent that is cut 100 times at random gets every delivery in order, and each answer counts once",
  async () => {
    const floor = await startTestFloor({ retries: "default", store: slowStore(seeded(3)) });
    await floor.openConversation("c1", [ann], [bot]);
    const said = Array.from({ length: words }, (_, index) => `word ${index}`);
    const viewer = await openSocket(floor, { speaker: ann, conversation: "c1" });
    const wanted = said.map((word) => `echo ${word}`);
    const echoes = () => viewer.frames.items.flatMap(wordsIn).filter((word) => word.startsWith("echo"));
    let isOver = false;
    const serving = echo(floor, seeded(11), () => isOver);
    for (const word of said) {
      await floor.speak("c1", ann, word, { speakerUri: bot });
      await viewer.find((frame) => wordsIn(frame).includes(`echo ${word}`), `the echo of ${word}`);
    }
    isOver = true;
    await floor.speak("c1", ann, "the end", { speakerUri: bot });
    const { order, made } = await serving;
    expect(order.slice(0, words)).toEqual(said);
    expect(echoes().slice(0, words)).toEqual(wanted);
    expect(made).toBe(cuts);
    expect(floor.errors).toEqual([]);
    await viewer.close();
    await floor.close();
  },
  timeoutMs,
);
