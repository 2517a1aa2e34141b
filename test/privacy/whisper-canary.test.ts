// T14: every whisper has a word of its own; whoever else sees that word anywhere is a leak.
import { afterEach, expect, test } from "vitest";
import { closeAgents, utterance } from "../floor/agents.ts";
import { seeded } from "../streams/floor.ts";
import { type Canary, createCanary } from "./canary.ts";
import { ann, bob, type Crowd, cid, dora, finn, people, startCrowd } from "./crowd.ts";
import { type House, startHouse } from "./house.ts";
import { live } from "./life.ts";
import { readEverything } from "./sinks.ts";

const isNightly = process.env.PLENARY_NIGHTLY === "1";
const eventsMax = Number(process.env.PLENARY_CANARY_EVENTS ?? (isNightly ? 100_000 : 3_000));
/** A bound against hanging. */
const livesMs = isNightly ? 1_800_000 : 300_000;
const patienceMs = livesMs + 240_000;
const seed = Number(process.env.PLENARY_SEED ?? Date.now() % 1_000_000);
const conversations = ["open", "curated", "revealing", "strict", "crowded", "late"];

type Listening = Awaited<ReturnType<House["listen"]>>;

let house: House;

afterEach(async () => {
  await closeAgents();
  await house.close();
});

/** People, a former conversant, a guest and the agents; in some conversations a convener. */
async function furnish(crowd: Crowd, id: string): Promise<string> {
  const options = {
    ...(id === "curated" && { convener: crowd.convener.url }),
    ...(id === "strict" && { policy: "spec" }),
    ...(id === "revealing" && { newcomersSee: "everything" }),
    missesMax: 50,
  };
  const root = `/api/v1/conversations/${id}`;
  // These options go further than the floor's own: the operator begins it for her.
  const owner = { identification: { speakerUri: ann } };
  await house.call("operator", "POST", "/api/v1/conversations", { body: { id, owner, ...options } });
  for (const speakerUri of [bob, cid, finn]) {
    await house.call(ann, "POST", `${root}/seat`, { body: { identification: { speakerUri } } });
  }
  const events = crowd.agents.slice(0, 3).map(({ url, speakerUri }) => {
    return { eventType: "invite", to: { serviceUrl: url, speakerUri } };
  });
  const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri: ann }, events };
  await house.call(ann, "POST", "/openfloor", { body: { openFloor }, headers: { prefer: "wait=5" } });
  await house.call(ann, "POST", `${root}/remove`, { body: { speakerUri: finn } });
  const link = await house.call(ann, "POST", `${root}/links`, { body: {} });
  const invite = String(link.json.link).split("#invite=")[1] ?? "";
  const { json } = await house.call("anonymous", "POST", "/api/v1/guests", { body: { invite } });
  house.tokens.set(String(json.speakerUri), String(json.token));
  return String(json.speakerUri);
}

/** Everybody looks on from the beginning, by socket and by event stream. */
async function lookOn(speakers: readonly string[]) {
  const streams = [];
  for (const speaker of speakers) {
    await house.watch(speaker);
    streams.push(await house.listen(speaker));
  }
  return streams;
}

/** All of every log once more, as those who are there now see it. */
async function replay(speakers: readonly string[]): Promise<void> {
  for (const id of conversations) {
    const last = utterance(ann, `THE-END-${id}`);
    const openFloor = { conversation: { id }, sender: { speakerUri: ann }, events: [last] };
    const schema = { version: "1.1.0" };
    await house.call(ann, "POST", "/openfloor", { body: { openFloor: { schema, ...openFloor } } });
    const streams: { speaker: string; stream: Listening }[] = [];
    for (const speaker of speakers) streams.push({ speaker, stream: await house.listen(speaker, id) });
    const socket = await house.watch(bob, id);
    const isOver = () => {
      const present = streams.filter(({ speaker }) => speaker === ann || speaker === bob);
      return (
        present.every(({ stream }) => stream.text().includes(`THE-END-${id}`)) &&
        socket.raw.join("").includes("THE-END")
      );
    };
    await expect.poll(isOver, { timeout: 20_000, interval: 20 }).toBe(true);
    for (const { stream } of streams) stream.close();
    socket.close();
  }
}

/** The run was worth looking at: each kind of sink held whispers for those they were for. */
function expectLively(canary: Canary, counts: Record<string, number>): void {
  for (const where of ["inboxes", "logs", "sockets", "event streams", "drafts", "consequences", "dead letters"]) {
    expect(canary.foundIn(where), where).toBeGreaterThan(0);
  }
  for (const where of ["error bodies", "metrics", "states", "pages"])
    expect(canary.times(where), where).toBeGreaterThan(0);
  for (const deed of ["inviteWithHistory", "manifests", "reveal", "fail"])
    expect(counts[deed], deed).toBeGreaterThan(0);
  expect(canary.found()).toBeGreaterThan(canary.count() / 3);
}

test(
  "a whisper is seen by its speaker and its addressee, and by nobody else on any way there is",
  async () => {
    process.stdout.write(`[privacy] whisper canary: seed ${seed}\n`);
    const canary = createCanary();
    const random = seeded(seed);
    house = await startHouse(canary);
    const crowd = await startCrowd(canary, random);
    for (const person of people) await house.giveKey(person, true);
    for (const { speakerUri } of crowd.agents) await house.giveKey(speakerUri, false);
    const guests: string[] = [];
    for (const id of conversations) guests.push(await furnish(crowd, id));
    const agents = crowd.agents.map(({ speakerUri }) => speakerUri);
    const phases = [performance.now()];
    const streams = await lookOn([...people, ...guests, ...agents]);
    const counts: Record<string, number> = {};
    const life = { house, crowd, canary, random, counts, untilMs: performance.now() + livesMs };
    const share = Math.ceil(eventsMax / conversations.length);
    const lived = await Promise.all(conversations.map((id, index) => live(life, id, guests[index] ?? dora, share)));
    const events = lived.reduce((sum, one) => sum + one, 0);
    phases.push(performance.now());
    await replay([...people, ...agents]);
    phases.push(performance.now());
    // Ownership passes on; whoever had it is a former conversant.
    const bye = { conversation: { id: "open" }, sender: { speakerUri: ann }, events: [{ eventType: "bye" }] };
    await house.call(ann, "POST", "/openfloor", { body: { openFloor: { schema: { version: "1.1.0" }, ...bye } } });
    await readEverything({ house, crowd, canary, conversations, guests });
    for (const stream of streams) stream.close();
    phases.push(performance.now());
    process.stdout.write(
      `[privacy] whisper canary: ${events} events, ${canary.count()} whispers; ${canary.figures()}\n`,
    );
    const seconds = phases.slice(1).map((at, index) => Math.round((at - (phases[index] ?? at)) / 1_000));
    process.stdout.write(
      `[privacy] seconds of life, replay, reading: ${seconds.join(", ")}; ${JSON.stringify(counts)}\n`,
    );
    expect([...canary.leaks].slice(0, 20)).toEqual([]);
    expect(house.errors).toEqual([]);
    expect(events).toBeGreaterThanOrEqual(eventsMax);
    expectLively(canary, counts);
  },
  patienceMs,
);
