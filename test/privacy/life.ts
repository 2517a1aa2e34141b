// A life of several conversations at once, made up as it goes.
import { utterance } from "../floor/agents.ts";
import type { Canary } from "./canary.ts";
import { ann, bob, type Crowd, cid, dora, finn, outsider } from "./crowd.ts";
import type { House, Json } from "./house.ts";

type Random = (below: number) => number;
type Spoken = { dialogEvent: Json; parties: readonly string[] };

export type Life = {
  house: House;
  crowd: Crowd;
  canary: Canary;
  random: Random;
  counts: Record<string, number>;
  untilMs: number;
};
type Floor = Life & { id: string; known: Spoken[]; guest: string; events: number };

/** Until so many events were sent, or time is up. Says how many there were. */
export async function live(life: Life, id: string, guest: string, eventsMax: number): Promise<number> {
  const floor: Floor = { ...life, id, known: [], guest, events: 0 };
  const deeds = Object.entries(deedsOf);
  // Of each kind some, however short the run is.
  for (const [name, { run }] of [...deeds, ...deeds, ...deeds]) {
    life.counts[name] = (life.counts[name] ?? 0) + 1;
    await run(floor);
  }
  const weights = deeds.flatMap(([name, { weight }]) => new Array<string>(weight).fill(name));
  while (floor.events < eventsMax && performance.now() < life.untilMs) {
    const name = weights[life.random(weights.length)] ?? "";
    life.counts[name] = (life.counts[name] ?? 0) + 1;
    await deedsOf[name]?.run(floor);
  }
  return floor.events;
}

function oneOf<T>({ random }: Floor, items: readonly T[]): T {
  return items[random(items.length)] as T;
}

async function send(floor: Floor, as: string, events: object[], headers: Record<string, string> = {}) {
  floor.events += events.length;
  const openFloor = {
    ...{ schema: { version: "1.1.0" }, conversation: { id: floor.id } },
    ...{ sender: { speakerUri: as }, events },
  };
  const where = headers.prefer === undefined ? "answers" : "consequences";
  return floor.house.call(as, "POST", "/openfloor", { body: { openFloor }, headers, where });
}

async function command(floor: Floor, verb: string, body: Json): Promise<void> {
  floor.events += 1;
  await floor.house.call(ann, "POST", `/api/v1/conversations/${floor.id}/${verb}`, { body });
}

const speakers = (floor: Floor) => [ann, ann, bob, bob, cid, dora, floor.guest];
const listeners = (floor: Floor) => [ann, bob, cid, dora, floor.guest, ...floor.crowd.agents.map(nameOf)];
const nameOf = ({ speakerUri }: { speakerUri: string }) => speakerUri;

function whisperOf(floor: Floor, from: string, to: string): { event: object; spoken: Spoken } {
  const parties = [from, to];
  const text = `${floor.canary.token(...parties)} for your ears ${"only ".repeat(floor.random(20))}`;
  const event = utterance(from, text, { to: { speakerUri: to, private: true } }) as { parameters: Json };
  return { event, spoken: { dialogEvent: event.parameters.dialogEvent as Json, parties } };
}

async function whisper(
  floor: Floor,
  from: string,
  headers?: Record<string, string>,
  to = oneOf(floor, listeners(floor)),
): Promise<void> {
  const { event, spoken } = whisperOf(floor, from, to);
  const { status, json } = await send(floor, from, [event], headers);
  if (status === 200 && json.refused === undefined) floor.known.push(spoken);
  if (status === 200 && floor.random(20) === 0) await send(floor, from, [event], headers);
}

/** Whispers it was party to, as they are in its log, some under another name, among what was said to all. */
function historyOf(floor: Floor, teller: string): Json[] {
  const mine = floor.known.filter(({ parties }) => parties.includes(teller)).slice(-40);
  const picked = Array.from({ length: Math.min(4, mine.length) }, () => oneOf(floor, mine).dialogEvent);
  return picked.map((one) => (floor.random(3) === 0 ? { ...one, id: `retold-${floor.random(1_000_000)}` } : one));
}

type Deed = { weight: number; run: (floor: Floor) => Promise<unknown> };

const deedsOf: Record<string, Deed> = {
  speak: {
    weight: 40,
    run: (floor) => {
      const as = oneOf(floor, speakers(floor));
      return send(floor, as, [utterance(as, `for all ${floor.random(1_000)}`)]);
    },
  },
  whisper: { weight: 48, run: (floor) => whisper(floor, oneOf(floor, speakers(floor))) },
  askAndWait: {
    weight: 1,
    run: (floor) =>
      whisper(
        floor,
        oneOf(floor, [ann, bob]),
        { prefer: "wait=1" },
        oneOf(floor, floor.crowd.agents.slice(0, 2)).speakerUri,
      ),
  },
  publicAndWait: {
    weight: 1,
    run: (floor) => {
      const as = oneOf(floor, [ann, bob, cid]);
      return send(floor, as, [utterance(as, "what was said?")], { prefer: "wait=1" });
    },
  },
  agentWhispers: { weight: 12, run: (floor) => whisper(floor, oneOf(floor, floor.crowd.agents).speakerUri) },
  mixed: {
    weight: 12,
    run: (floor) => {
      const as = oneOf(floor, speakers(floor));
      const { event } = whisperOf(floor, as, oneOf(floor, listeners(floor)));
      return send(floor, as, [utterance(as, "to all"), event, utterance(as, "to all again")]);
    },
  },
  manifests: {
    weight: 5,
    run: (floor) => {
      const as = oneOf(floor, [ann, bob]);
      const { speakerUri, url } = oneOf(floor, floor.crowd.agents);
      const to = { speakerUri, serviceUrl: url };
      const { event } = whisperOf(floor, as, speakerUri);
      return send(floor, as, [
        { eventType: "getManifests", to },
        { ...event, to: { ...to, private: true } },
      ]);
    },
  },
  inviteWithHistory: {
    weight: 6,
    run: async (floor) => {
      const { speakerUri, url } = oneOf(floor, floor.crowd.agents.slice(0, 3));
      const dialogHistory = historyOf(floor, ann);
      const { event } = whisperOf(floor, ann, speakerUri);
      const to = { speakerUri, serviceUrl: url };
      await send(floor, ann, [
        { eventType: "uninvite", to: { speakerUri } },
        { eventType: "invite", to, ...(dialogHistory.length > 0 && { parameters: { dialogHistory } }) },
        ...(floor.random(2) === 0 ? [{ ...event, to: { ...to, private: true } }] : []),
      ]);
    },
  },
  requestFloor: {
    weight: 3,
    run: (floor) => {
      const { speakerUri } = oneOf(floor, floor.crowd.agents);
      return send(floor, speakerUri, [{ eventType: "requestFloor" }]);
    },
  },
  silence: {
    weight: 2,
    run: (floor) => {
      const speakerUri = oneOf(floor, [...floor.crowd.agents.map(nameOf), cid]);
      return send(floor, ann, [
        { eventType: oneOf(floor, ["revokeFloor", "grantFloor", "grantFloor"]), to: { speakerUri } },
      ]);
    },
  },
  come: { weight: 3, run: (floor) => command(floor, "seat", { identification: { speakerUri: dora } }) },
  go: { weight: 2, run: (floor) => command(floor, "remove", { speakerUri: dora }) },
  reveal: { weight: 2, run: (floor) => command(floor, "reveal", { speakerUri: dora, from: 1 }) },
  pause: { weight: 1, run: (floor) => command(floor, "pause", {}) },
  resume: { weight: 1, run: (floor) => command(floor, "resume", {}) },
  title: { weight: 1, run: (floor) => command(floor, "title", { title: oneOf(floor, ["Birds", "Bees", null]) }) },
  fail: { weight: 5, run: (floor) => fail(floor) },
};

/** Whispers that cannot be: to nobody, by nobody, in pieces, under the name of somebody else. */
async function fail(floor: Floor): Promise<void> {
  const { house, id } = floor;
  const as = oneOf(floor, [ann, bob, cid, outsider, finn]);
  const { event, spoken } = whisperOf(floor, as, "tag:nobody.example,2026:x");
  await send(floor, as, [event]);
  const broken = JSON.stringify({ openFloor: { conversation: { id }, events: [{ ...event, eventType: "utternce" }] } });
  await house.call(as, "POST", "/openfloor", { body: broken });
  await house.call(as, "POST", "/openfloor", { body: broken.slice(0, -5) });
  await house.call(as, "POST", `/api/v1/conversations/${id}/reveal`, { body: spoken.dialogEvent });
  const stolen = { openFloor: { conversation: { id }, sender: { speakerUri: bob }, events: [event] } };
  await house.call(outsider, "POST", "/openfloor", { body: stolen, whose: as });
}
