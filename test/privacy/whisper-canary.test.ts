// T14: every whisper has a unique token. The token in the output for any other reader is a leak.
import { afterEach, expect, test } from "vitest";
import { utterance } from "../support/envelopes.ts";
import { closeAgents } from "../support/http-agent.ts";
import { isNightly } from "../support/nightly.ts";
import { newSeed, seeded } from "../support/random.ts";
import { patience } from "../support/wait-for.ts";
import { type Canary, createCanary } from "./canary.ts";
import { type CanaryFloor, startCanaryFloor } from "./canary-floor.ts";
import { ann, bob, cid, dora, finn, type Participants, people, startParticipants } from "./participants.ts";
import { runRandomConversation } from "./random-conversation.ts";
import { readEverything } from "./read-everything.ts";

const eventsMax = Number(process.env.PLENARY_CANARY_EVENTS ?? (isNightly ? 100_000 : 1_200));
/** An upper limit, so that the test cannot hang. */
const timeoutMs = isNightly ? 3_600_000 : 900_000;
const conversations = ["open", "curated", "revealing", "strict", "crowded", "late"];

type Listening = Awaited<ReturnType<CanaryFloor["listen"]>>;

let floor: CanaryFloor;

afterEach(async () => {
  await closeAgents();
  await floor.close();
});

/** People, a former conversant, a guest and the agents; in some conversations a convener. */
async function openConversation(participants: Participants, id: string): Promise<string> {
  const options = {
    ...(id === "curated" && { convener: participants.convener.url }),
    ...(id === "strict" && { policy: "spec" }),
    ...(id === "revealing" && { newcomersSee: "everything" }),
    missesMax: 50,
  };
  const root = `/api/v1/conversations/${id}`;
  // Only the operator may choose these options.
  const owner = { identification: { speakerUri: ann } };
  await floor.call("operator", "POST", "/api/v1/conversations", { body: { id, owner, ...options } });
  for (const speakerUri of [bob, cid, finn]) {
    await floor.call(ann, "POST", `${root}/seat`, { body: { identification: { speakerUri } } });
  }
  const events = participants.agents.slice(0, 3).map(({ url, speakerUri }) => {
    return { eventType: "invite", to: { serviceUrl: url, speakerUri } };
  });
  const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri: ann }, events };
  await floor.call(ann, "POST", "/openfloor", { body: { openFloor }, headers: { prefer: "wait=5" } });
  await floor.call(ann, "POST", `${root}/remove`, { body: { speakerUri: finn } });
  const link = await floor.call(ann, "POST", `${root}/links`, { body: {} });
  const invite = String(link.json.link).split("#invite=")[1] ?? "";
  const { json } = await floor.call("anonymous", "POST", "/api/v1/guests", { body: { invite } });
  floor.tokens.set(String(json.speakerUri), String(json.token));
  return String(json.speakerUri);
}

/** A socket and an event stream for each speaker, from the beginning. */
async function openStreams(speakers: readonly string[]) {
  const streams = [];
  for (const speaker of speakers) {
    await floor.watch(speaker);
    streams.push(await floor.listen(speaker));
  }
  return streams;
}

/** Reads every log once more as the present conversants see it. */
async function replay(speakers: readonly string[]): Promise<void> {
  for (const id of conversations) {
    const last = utterance(ann, `THE-END-${id}`);
    const openFloor = { conversation: { id }, sender: { speakerUri: ann }, events: [last] };
    const schema = { version: "1.1.0" };
    await floor.call(ann, "POST", "/openfloor", { body: { openFloor: { schema, ...openFloor } } });
    const streams: { speaker: string; stream: Listening }[] = [];
    for (const speaker of speakers) streams.push({ speaker, stream: await floor.listen(speaker, id) });
    const socket = await floor.watch(bob, id);
    const isOver = () => {
      const present = streams.filter(({ speaker }) => speaker === ann || speaker === bob);
      return (
        present.every(({ stream }) => stream.text().includes(`THE-END-${id}`)) &&
        socket.raw.join("").includes("THE-END")
      );
    };
    await expect.poll(isOver, patience).toBe(true);
    for (const { stream } of streams) stream.close();
    socket.close();
  }
}

/** Each kind of output held whispers for their parties, and each kind of action happened: the test can fail. */
function expectCoverage(canary: Canary, counts: Record<string, number>): void {
  for (const where of ["inboxes", "logs", "sockets", "event streams", "drafts", "consequences", "dead letters"]) {
    expect(canary.foundIn(where), where).toBeGreaterThan(0);
  }
  for (const where of ["error bodies", "metrics", "states", "pages"])
    expect(canary.times(where), where).toBeGreaterThan(0);
  for (const action of ["inviteWithHistory", "manifests", "reveal", "fail"])
    expect(counts[action], action).toBeGreaterThan(0);
  expect(canary.found()).toBeGreaterThan(canary.count() / 3);
}

test(
  "only its speaker and its addressee see a whisper, in every kind of output",
  async () => {
    const canary = createCanary();
    const random = seeded(newSeed("privacy"));
    floor = await startCanaryFloor(canary);
    const participants = await startParticipants(canary, random);
    for (const person of people) await floor.giveKey(person, true);
    for (const { speakerUri } of participants.agents) await floor.giveKey(speakerUri, false);
    const guests: string[] = [];
    for (const id of conversations) guests.push(await openConversation(participants, id));
    const agents = participants.agents.map(({ speakerUri }) => speakerUri);
    const streams = await openStreams([...people, ...guests, ...agents]);
    const counts: Record<string, number> = {};
    const run = { floor, participants, canary, random, counts };
    const share = Math.ceil(eventsMax / conversations.length);
    const sent = await Promise.all(
      conversations.map((id, index) => runRandomConversation(run, id, guests[index] ?? dora, share)),
    );
    const events = sent.reduce((sum, one) => sum + one, 0);
    await replay([...people, ...agents]);
    // Another conversant becomes the owner; Ann is a former conversant.
    const bye = { conversation: { id: "open" }, sender: { speakerUri: ann }, events: [{ eventType: "bye" }] };
    await floor.call(ann, "POST", "/openfloor", { body: { openFloor: { schema: { version: "1.1.0" }, ...bye } } });
    await readEverything({ floor, participants, canary, conversations, guests });
    for (const stream of streams) stream.close();
    process.stdout.write(
      `[privacy] whisper canary: ${events} events, ${canary.count()} whispers; ${canary.figures()}; ${JSON.stringify(counts)}\n`,
    );
    expect([...canary.leaks].slice(0, 20)).toEqual([]);
    expect(floor.errors).toEqual([]);
    expect(events).toBeGreaterThanOrEqual(eventsMax);
    expectCoverage(canary, counts);
  },
  timeoutMs,
);
