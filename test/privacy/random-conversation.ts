// Random actions of the participants of a conversation.

import { type Json, utterance } from "../support/envelopes.ts";
import type { Canary } from "./canary.ts";
import type { CanaryFloor } from "./canary-floor.ts";
import { ann, bob, cid, dora, finn, outsider, type Participants } from "./participants.ts";

type Random = (below: number) => number;
type Spoken = { dialogEvent: Json; parties: readonly string[] };

export type RandomRun = {
  floor: CanaryFloor;
  participants: Participants;
  canary: Canary;
  random: Random;
  counts: Record<string, number>;
};
type ConversationRun = RandomRun & { id: string; known: Spoken[]; guest: string; events: number };

/** Sends events until there were `eventsMax` of them. Returns their number. */
export async function runRandomConversation(
  shared: RandomRun,
  id: string,
  guest: string,
  eventsMax: number,
): Promise<number> {
  const run: ConversationRun = { ...shared, id, known: [], guest, events: 0 };
  const kinds = Object.entries(actions);
  // Three actions of each kind, also in a short run.
  for (const [name, { act }] of [...kinds, ...kinds, ...kinds]) {
    shared.counts[name] = (shared.counts[name] ?? 0) + 1;
    await act(run);
  }
  const weights = kinds.flatMap(([name, { weight }]) => new Array<string>(weight).fill(name));
  while (run.events < eventsMax) {
    const name = weights[shared.random(weights.length)] ?? "";
    shared.counts[name] = (shared.counts[name] ?? 0) + 1;
    await actions[name]?.act(run);
  }
  return run.events;
}

function oneOf<T>({ random }: ConversationRun, items: readonly T[]): T {
  return items[random(items.length)] as T;
}

async function send(run: ConversationRun, as: string, events: object[], headers: Record<string, string> = {}) {
  run.events += events.length;
  const openFloor = {
    schema: { version: "1.1.0" },
    conversation: { id: run.id },
    sender: { speakerUri: as },
    events,
  };
  const where = headers.prefer === undefined ? "answers" : "consequences";
  return run.floor.call(as, "POST", "/openfloor", { body: { openFloor }, headers, where });
}

async function command(run: ConversationRun, verb: string, body: Json): Promise<void> {
  run.events += 1;
  await run.floor.call(ann, "POST", `/api/v1/conversations/${run.id}/${verb}`, { body });
}

const speakers = (run: ConversationRun) => [ann, ann, bob, bob, cid, dora, run.guest];
const listeners = (run: ConversationRun) => [ann, bob, cid, dora, run.guest, ...run.participants.agents.map(nameOf)];
const nameOf = ({ speakerUri }: { speakerUri: string }) => speakerUri;

function whisperOf(run: ConversationRun, from: string, to: string): { event: object; spoken: Spoken } {
  const parties = [from, to];
  const text = `${run.canary.token(...parties)} for your ears ${"only ".repeat(run.random(20))}`;
  const event = utterance(from, text, { to: { speakerUri: to, private: true } }) as { parameters: Json };
  return { event, spoken: { dialogEvent: event.parameters.dialogEvent as Json, parties } };
}

async function whisper(
  run: ConversationRun,
  from: string,
  headers?: Record<string, string>,
  to = oneOf(run, listeners(run)),
): Promise<void> {
  const { event, spoken } = whisperOf(run, from, to);
  const { status, json } = await send(run, from, [event], headers);
  if (status === 200 && json.refused === undefined) run.known.push(spoken);
  if (status === 200 && run.random(20) === 0) await send(run, from, [event], headers);
}

/** Whispers of this speaker as its log has them, some under another name, among public utterances. */
function historyOf(run: ConversationRun, teller: string): Json[] {
  const mine = run.known.filter(({ parties }) => parties.includes(teller)).slice(-40);
  const picked = Array.from({ length: Math.min(4, mine.length) }, () => oneOf(run, mine).dialogEvent);
  return picked.map((one) => (run.random(3) === 0 ? { ...one, id: `retold-${run.random(1_000_000)}` } : one));
}

type Action = { weight: number; act: (run: ConversationRun) => Promise<unknown> };

const actions: Record<string, Action> = {
  speak: {
    weight: 40,
    act: (run) => {
      const as = oneOf(run, speakers(run));
      return send(run, as, [utterance(as, `for all ${run.random(1_000)}`)]);
    },
  },
  whisper: { weight: 48, act: (run) => whisper(run, oneOf(run, speakers(run))) },
  askAndWait: {
    weight: 1,
    act: (run) =>
      whisper(
        run,
        oneOf(run, [ann, bob]),
        { prefer: "wait=1" },
        oneOf(run, run.participants.agents.slice(0, 2)).speakerUri,
      ),
  },
  publicAndWait: {
    weight: 1,
    act: (run) => {
      const as = oneOf(run, [ann, bob, cid]);
      return send(run, as, [utterance(as, "what was said?")], { prefer: "wait=1" });
    },
  },
  agentWhispers: { weight: 12, act: (run) => whisper(run, oneOf(run, run.participants.agents).speakerUri) },
  mixed: {
    weight: 12,
    act: (run) => {
      const as = oneOf(run, speakers(run));
      const { event } = whisperOf(run, as, oneOf(run, listeners(run)));
      return send(run, as, [utterance(as, "to all"), event, utterance(as, "to all again")]);
    },
  },
  manifests: {
    weight: 5,
    act: (run) => {
      const as = oneOf(run, [ann, bob]);
      const { speakerUri, url } = oneOf(run, run.participants.agents);
      const to = { speakerUri, serviceUrl: url };
      const { event } = whisperOf(run, as, speakerUri);
      return send(run, as, [
        { eventType: "getManifests", to },
        { ...event, to: { ...to, private: true } },
      ]);
    },
  },
  inviteWithHistory: {
    weight: 6,
    act: async (run) => {
      const { speakerUri, url } = oneOf(run, run.participants.agents.slice(0, 3));
      const dialogHistory = historyOf(run, ann);
      const { event } = whisperOf(run, ann, speakerUri);
      const to = { speakerUri, serviceUrl: url };
      await send(run, ann, [
        { eventType: "uninvite", to: { speakerUri } },
        { eventType: "invite", to, ...(dialogHistory.length > 0 && { parameters: { dialogHistory } }) },
        ...(run.random(2) === 0 ? [{ ...event, to: { ...to, private: true } }] : []),
      ]);
    },
  },
  requestFloor: {
    weight: 3,
    act: (run) => {
      const { speakerUri } = oneOf(run, run.participants.agents);
      return send(run, speakerUri, [{ eventType: "requestFloor" }]);
    },
  },
  silence: {
    weight: 2,
    act: (run) => {
      const speakerUri = oneOf(run, [...run.participants.agents.map(nameOf), cid]);
      return send(run, ann, [
        { eventType: oneOf(run, ["revokeFloor", "grantFloor", "grantFloor"]), to: { speakerUri } },
      ]);
    },
  },
  come: { weight: 3, act: (run) => command(run, "seat", { identification: { speakerUri: dora } }) },
  go: { weight: 2, act: (run) => command(run, "remove", { speakerUri: dora }) },
  reveal: { weight: 2, act: (run) => command(run, "reveal", { speakerUri: dora, from: 1 }) },
  pause: { weight: 1, act: (run) => command(run, "pause", {}) },
  resume: { weight: 1, act: (run) => command(run, "resume", {}) },
  title: { weight: 1, act: (run) => command(run, "title", { title: oneOf(run, ["Birds", "Bees", null]) }) },
  fail: { weight: 5, act: (run) => fail(run) },
};

/** Invalid whispers: to an unknown speaker, without a sender, truncated, in the name of another speaker. */
async function fail(run: ConversationRun): Promise<void> {
  const { floor, id } = run;
  const as = oneOf(run, [ann, bob, cid, outsider, finn]);
  const { event, spoken } = whisperOf(run, as, "tag:nobody.example,2026:x");
  await send(run, as, [event]);
  const broken = JSON.stringify({ openFloor: { conversation: { id }, events: [{ ...event, eventType: "utternce" }] } });
  await floor.call(as, "POST", "/openfloor", { body: broken });
  await floor.call(as, "POST", "/openfloor", { body: broken.slice(0, -5) });
  await floor.call(as, "POST", `/api/v1/conversations/${id}/reveal`, { body: spoken.dialogEvent });
  const stolen = { openFloor: { conversation: { id }, sender: { speakerUri: bob }, events: [event] } };
  await floor.call(outsider, "POST", "/openfloor", { body: stolen, whose: as });
}
