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
type Room = Life & { id: string; known: Spoken[]; guest: string; events: number };

/** Until so many events were sent, or time is up. Says how many there were. */
export async function live(life: Life, id: string, guest: string, eventsMax: number): Promise<number> {
  const room: Room = { ...life, id, known: [], guest, events: 0 };
  const deeds = Object.entries(deedsOf);
  // Of each kind some, however short the run is.
  for (const [name, { run }] of [...deeds, ...deeds, ...deeds]) {
    life.counts[name] = (life.counts[name] ?? 0) + 1;
    await run(room);
  }
  const weights = deeds.flatMap(([name, { weight }]) => new Array<string>(weight).fill(name));
  while (room.events < eventsMax && performance.now() < life.untilMs) {
    const name = weights[life.random(weights.length)] ?? "";
    life.counts[name] = (life.counts[name] ?? 0) + 1;
    await deedsOf[name]?.run(room);
  }
  return room.events;
}

function oneOf<T>({ random }: Room, items: readonly T[]): T {
  return items[random(items.length)] as T;
}

async function send(room: Room, as: string, events: object[], headers: Record<string, string> = {}) {
  room.events += events.length;
  const openFloor = {
    ...{ schema: { version: "1.1.0" }, conversation: { id: room.id } },
    ...{ sender: { speakerUri: as }, events },
  };
  const where = headers.prefer === undefined ? "answers" : "consequences";
  return room.house.call(as, "POST", "/openfloor", { body: { openFloor }, headers, where });
}

async function command(room: Room, verb: string, body: Json): Promise<void> {
  room.events += 1;
  await room.house.call(ann, "POST", `/api/v1/conversations/${room.id}/${verb}`, { body });
}

const speakers = (room: Room) => [ann, ann, bob, bob, cid, dora, room.guest];
const listeners = (room: Room) => [ann, bob, cid, dora, room.guest, ...room.crowd.agents.map(nameOf)];
const nameOf = ({ speakerUri }: { speakerUri: string }) => speakerUri;

function whisperOf(room: Room, from: string, to: string): { event: object; spoken: Spoken } {
  const parties = [from, to];
  const text = `${room.canary.token(...parties)} for your ears ${"only ".repeat(room.random(20))}`;
  const event = utterance(from, text, { to: { speakerUri: to, private: true } }) as { parameters: Json };
  return { event, spoken: { dialogEvent: event.parameters.dialogEvent as Json, parties } };
}

async function whisper(
  room: Room,
  from: string,
  headers?: Record<string, string>,
  to = oneOf(room, listeners(room)),
): Promise<void> {
  const { event, spoken } = whisperOf(room, from, to);
  const { status, json } = await send(room, from, [event], headers);
  if (status === 200 && json.refused === undefined) room.known.push(spoken);
  if (status === 200 && room.random(20) === 0) await send(room, from, [event], headers);
}

/** Whispers it was party to, as they are in its log, some under another name, among what was said to all. */
function historyOf(room: Room, teller: string): Json[] {
  const mine = room.known.filter(({ parties }) => parties.includes(teller)).slice(-40);
  const picked = Array.from({ length: Math.min(4, mine.length) }, () => oneOf(room, mine).dialogEvent);
  return picked.map((one) => (room.random(3) === 0 ? { ...one, id: `retold-${room.random(1_000_000)}` } : one));
}

type Deed = { weight: number; run: (room: Room) => Promise<unknown> };

const deedsOf: Record<string, Deed> = {
  speak: {
    weight: 40,
    run: (room) => {
      const as = oneOf(room, speakers(room));
      return send(room, as, [utterance(as, `for all ${room.random(1_000)}`)]);
    },
  },
  whisper: { weight: 48, run: (room) => whisper(room, oneOf(room, speakers(room))) },
  askAndWait: {
    weight: 1,
    run: (room) =>
      whisper(
        room,
        oneOf(room, [ann, bob]),
        { prefer: "wait=1" },
        oneOf(room, room.crowd.agents.slice(0, 2)).speakerUri,
      ),
  },
  publicAndWait: {
    weight: 1,
    run: (room) => {
      const as = oneOf(room, [ann, bob, cid]);
      return send(room, as, [utterance(as, "what was said?")], { prefer: "wait=1" });
    },
  },
  agentWhispers: { weight: 12, run: (room) => whisper(room, oneOf(room, room.crowd.agents).speakerUri) },
  mixed: {
    weight: 12,
    run: (room) => {
      const as = oneOf(room, speakers(room));
      const { event } = whisperOf(room, as, oneOf(room, listeners(room)));
      return send(room, as, [utterance(as, "to all"), event, utterance(as, "to all again")]);
    },
  },
  manifests: {
    weight: 5,
    run: (room) => {
      const as = oneOf(room, [ann, bob]);
      const { speakerUri, url } = oneOf(room, room.crowd.agents);
      const to = { speakerUri, serviceUrl: url };
      const { event } = whisperOf(room, as, speakerUri);
      return send(room, as, [
        { eventType: "getManifests", to },
        { ...event, to: { ...to, private: true } },
      ]);
    },
  },
  inviteWithHistory: {
    weight: 6,
    run: async (room) => {
      const { speakerUri, url } = oneOf(room, room.crowd.agents.slice(0, 3));
      const dialogHistory = historyOf(room, ann);
      const { event } = whisperOf(room, ann, speakerUri);
      const to = { speakerUri, serviceUrl: url };
      await send(room, ann, [
        { eventType: "uninvite", to: { speakerUri } },
        { eventType: "invite", to, ...(dialogHistory.length > 0 && { parameters: { dialogHistory } }) },
        ...(room.random(2) === 0 ? [{ ...event, to: { ...to, private: true } }] : []),
      ]);
    },
  },
  requestFloor: {
    weight: 3,
    run: (room) => {
      const { speakerUri } = oneOf(room, room.crowd.agents);
      return send(room, speakerUri, [{ eventType: "requestFloor" }]);
    },
  },
  silence: {
    weight: 2,
    run: (room) => {
      const speakerUri = oneOf(room, [...room.crowd.agents.map(nameOf), cid]);
      return send(room, ann, [
        { eventType: oneOf(room, ["revokeFloor", "grantFloor", "grantFloor"]), to: { speakerUri } },
      ]);
    },
  },
  come: { weight: 3, run: (room) => command(room, "seat", { identification: { speakerUri: dora } }) },
  go: { weight: 2, run: (room) => command(room, "remove", { speakerUri: dora }) },
  reveal: { weight: 2, run: (room) => command(room, "reveal", { speakerUri: dora, from: 1 }) },
  pause: { weight: 1, run: (room) => command(room, "resume", {}) },
  fail: { weight: 5, run: (room) => fail(room) },
};

/** Whispers that cannot be: to nobody, by nobody, in pieces, under the name of somebody else. */
async function fail(room: Room): Promise<void> {
  const { house, id } = room;
  const as = oneOf(room, [ann, bob, cid, outsider, finn]);
  const { event, spoken } = whisperOf(room, as, "tag:nobody.example,2026:x");
  await send(room, as, [event]);
  const broken = JSON.stringify({ openFloor: { conversation: { id }, events: [{ ...event, eventType: "utternce" }] } });
  await house.call(as, "POST", "/openfloor", { body: broken });
  await house.call(as, "POST", "/openfloor", { body: broken.slice(0, -5) });
  await house.call(as, "POST", `/api/v1/conversations/${id}/reveal`, { body: spoken.dialogEvent });
  const stolen = { openFloor: { conversation: { id }, sender: { speakerUri: bob }, events: [event] } };
  await house.call(outsider, "POST", "/openfloor", { body: stolen, whose: as });
}
