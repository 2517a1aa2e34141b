// The connection between a browser and its floor breaks repeatedly while people talk: nothing is lost or duplicated.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isMissing, startChromium } from "../support/chromium.ts";
import { utterance } from "../support/envelopes.ts";
import { isNightly } from "../support/nightly.ts";
import { newSeed } from "../support/random.ts";
import { endScriptedAgents, startScriptedAgent } from "../support/scripted-agent.ts";
import { BreakableConnection, breaks } from "./breakable-connection.ts";
import { type PageFloor, startPageFloor } from "./page-floor.ts";
import type { Person } from "./person.ts";
import { wholeTranscript } from "./whole-transcript.ts";

const cutsMax = isNightly ? 1_000 : 12;
/** Elapsed time ends only a nightly run: a busy machine is slow. */
const timeMs = isNightly ? 1_800_000 : Number.POSITIVE_INFINITY;
/** An upper limit, so that the test cannot hang. */
const timeoutMs = isNightly ? 3_600_000 : 600_000;

type Entry = { seq: number; kind: string; sender?: string; event?: { eventType: string } & Record<string, unknown> };

describe.skipIf(isMissing)("over a connection that breaks", () => {
  let browser: Browser;
  let floor: PageFloor;
  let line: BreakableConnection;

  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    const plenty = { perS: 10_000, burst: 10_000 };
    floor = await startPageFloor({ browser, options: { rateLimits: { perPrincipal: plenty, perAddress: plenty } } });
    line = await BreakableConnection.start(Number(new URL(floor.url).port));
  });
  afterEach(async () => {
    for (const { context } of floor.people) await context.close();
    await endScriptedAgents();
    await line.close();
    await floor.close();
    // The floor sees an error, too, when a request is cut in its middle.
    expect(floor.errors.filter((error) => !String(error).includes("aborted"))).toEqual([]);
  });

  /** A guest whose browser reaches the floor through the breakable connection. */
  async function seatBehind(name: string, conversation: string, prepare?: (person: Person) => Promise<void>) {
    const { link } = await floor.linkTo(conversation);
    const person = await floor.stranger();
    await prepare?.(person);
    await person.page.goto(link.replace(floor.url, line.url));
    await person.page.getByLabel("Your name").fill(name);
    await person.page.getByRole("button", { name: "Join" }).click();
    await person.field.waitFor();
    return person;
  }

  /** Answers each utterance, whole or streamed. */
  async function startParrot() {
    let heard = 0;
    const parrot = await startScriptedAgent({
      name: "Parrot",
      onUtterance(cue) {
        const text = `Parrot heard: ${cue.text}`;
        heard += 1;
        if (heard % 2 === 0) return cue.answer(utterance(parrot.speakerUri, text));
        const answer = cue.stream();
        for (const word of text.split(" ")) answer.write(`${word} `);
        answer.finish(text);
      },
    });
    return parrot;
  }

  async function logOf(conversation: string, reader: string): Promise<{ seq: number; words: string }[]> {
    const said: { seq: number; words: string }[] = [];
    for (let after = 0, entries: Entry[]; ; after = entries.at(-1)?.seq ?? after) {
      const query = `speaker=${encodeURIComponent(reader)}&after=${after}&limit=500`;
      ({ entries } = await floor.must("GET", `/api/v1/conversations/${conversation}/log?${query}`));
      if (entries.length === 0) return said;
      for (const { seq, kind, event } of entries) {
        if (kind === "event" && event?.eventType === "utterance") said.push({ seq, words: wordsOf(event) });
      }
    }
  }

  async function speakerOf(conversation: string, name: string): Promise<string> {
    const { conversants } = await floor.must("GET", `/api/v1/conversations/${conversation}`);
    type Seat = { identification: { speakerUri: string; conversationalName?: string } };
    return conversants.find(({ identification }: Seat) => identification.conversationalName === name).identification
      .speakerUri;
  }

  test(`${cutsMax} cuts at random moments lose and duplicate nothing`, { timeout: timeoutMs }, async () => {
    const random = randomFrom(newSeed("browser cuts"));
    const conversation = await floor.begin({ agents: [await startParrot()] });
    const ann = await seatBehind("Ann", conversation);
    const bob = await floor.openAsGuest("Bob", conversation);
    const untilMs = Date.now() + timeMs;
    const said: string[] = [];
    const speak = async (person: Person) => {
      const words = `${person.name === "Bob" ? "Bob" : "Ann"} says ${said.length + 1}`;
      said.push(words);
      await person.say(words);
    };
    let cuts = 0;
    while (cuts < cutsMax && Date.now() < untilMs) {
      const kind = breaks[Math.floor(random() * breaks.length)] ?? "drop";
      const plan = { kind, afterBytes: 1 + Math.floor(random() * 6_000), more: 1 + Math.floor(random() * 4) };
      const isReloaded = random() < 0.1;
      await speak(ann);
      if (isReloaded) await ann.page.reload();
      await ann.field.waitFor();
      let isOver = false;
      const over = line.breakDown(plan).then(() => {
        isOver = true;
      });
      while (!isOver) {
        await speak(random() < 0.5 ? ann : bob);
        // Spreads the utterances, so that they are not all sent in the first second.
        await Promise.race([over, ann.page.evaluate("new Promise((resolve) => setTimeout(resolve, 100))")]);
      }
      cuts += 1;
      if (random() < 0.8) await ann.page.locator(".conversation-head .state").waitFor({ state: "detached" });
    }
    console.log(`${cuts} cuts, ${said.length} utterances of people`);
    expect(cuts).toBeGreaterThan(cutsMax / 3);
    await speak(bob);
    await speak(ann);
    const patience = { timeout: 60_000, interval: 500 };
    const reader = await speakerOf(conversation, "Ann");
    const wanted = said.flatMap((words) => [words, `Parrot heard: ${words}`]).sort();
    await expect.poll(async () => (await logOf(conversation, reader)).map(wordsIn).sort(), patience).toEqual(wanted);
    const log = await logOf(conversation, reader);
    for (const person of [ann, bob]) {
      const shown = async () => (await wholeTranscript(person.page)).map(({ seq, words }) => ({ seq, words }));
      await expect.poll(shown, patience).toEqual(log);
    }
  });

  test("the page detects a silently dead connection and then shows everything that was said meanwhile", async () => {
    const conversation = await floor.begin();
    const ann = await seatBehind("Ann", conversation, ({ page }) => page.clock.install());
    const bob = await floor.openAsGuest("Bob", conversation);
    await bob.say("can you hear me?");
    await ann.sees("can you hear me?");
    line.deafen();
    await bob.say("and now?");
    await ann.say("I say something into the void");
    await bob.sees("and now?");
    // The page's clock advances hours in a few steps.
    await expect
      .poll(
        async () => {
          await ann.page.clock.runFor(5_000);
          return (await wholeTranscript(ann.page)).map(({ words }) => words);
        },
        { timeout: 60_000 },
      )
      .toEqual(["can you hear me?", "and now?", "I say something into the void"]);
    await bob.sees("I say something into the void");
    const log = await logOf(conversation, await speakerOf(conversation, "Bob"));
    expect(log.map(wordsIn).sort()).toEqual(["I say something into the void", "and now?", "can you hear me?"]);
  });
});

function wordsIn({ words }: { words: string }): string {
  return words;
}

function wordsOf(event: Record<string, unknown>): string {
  const { dialogEvent } = event.parameters as { dialogEvent: { features: { text: { tokens: { value: string }[] } } } };
  return dialogEvent.features.text.tokens.map(({ value }) => value).join("");
}

/** The same numbers for the same seed (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
