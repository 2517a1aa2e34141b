import type { Command } from "@plenary/floor";
import type { CommandBy } from "../../conversation/receive.ts";
import { credentialOf, order, post } from "./client.ts";
import { envelopeText, readEnvelope, utterance, type WireEvent } from "./wire.ts";
import type { World } from "./world.ts";

type Person = { world: World; speakerUri: string; conversationId: string; said: number };

/** Somebody who does this and that, at the pace of people, until the run comes to rest. */
export function startPerson(world: World, speakerUri: string, conversationId: string): void {
  const person: Person = { world, speakerUri, conversationId, said: 0 };
  const { time, chance } = world;
  const act = () => {
    if (world.isResting) return;
    const events = Array.from({ length: chance.isHit(0.2) ? 2 : 1 }, () => doSomething(person));
    send(person, events);
    // Now and then two at once, from two windows.
    if (chance.isHit(0.1)) send(person, [doSomething(person)]);
    if (world.isCommanded) interfere(person);
    time.after(chance.between(200, 16_000), act);
  };
  time.after(chance.between(100, 3_000), act);
}

const commands: readonly Command[] = [
  ...Array<Command>(4).fill({ verb: "pause" }),
  { verb: "resume" },
  { verb: "title", title: "Birds" },
  { verb: "title" },
];

/** While the agents are at work, or long after; by people who may, and by some who may not. */
function interfere({ world, conversationId, speakerUri }: Person): void {
  const { time, chance } = world;
  const command = chance.pick(commands);
  const by = chance.pick<CommandBy>([{ by: "person", speakerUri }, { by: "owner", speakerUri }, { by: "operator" }]);
  time.after(chance.between(1, 3_000), () => order(world, conversationId, command, by));
}

function send({ world, speakerUri, conversationId }: Person, events: WireEvent[]): void {
  const text = envelopeText({ conversation: { id: conversationId }, sender: { speakerUri }, events });
  post(world, { text, principal: credentialOf(speakerUri) });
}

const acts: readonly [weight: number, act: (person: Person) => WireEvent][] = [
  [8, (person) => say(person)],
  [4, (person) => say(person, { speakerUri: someAgent(person).speakerUri })],
  [5, (person) => whisper(person)],
  [4, (person) => inviteSomebody(person)],
  [2, (person) => ({ eventType: "uninvite", to: { speakerUri: someAgent(person).speakerUri } })],
  [3, () => ({ eventType: "requestFloor" })],
  [1, () => ({ eventType: "yieldFloor" })],
  [2, (person) => ({ eventType: "grantFloor", to: { speakerUri: someAgent(person).speakerUri } })],
  [2, (person) => ({ eventType: "revokeFloor", to: { speakerUri: someAgent(person).speakerUri } })],
  [0.15, () => ({ eventType: "bye" })],
];

const weights = acts.reduce((sum, [weight]) => sum + weight, 0);

function doSomething(person: Person): WireEvent {
  let left = person.world.chance.next() * weights;
  for (const [weight, act] of acts) {
    left -= weight;
    if (left < 0) return act(person);
  }
  return say(person);
}

function someAgent({ world: { chance, agents } }: Person) {
  return chance.pick(agents);
}

function say(person: Person, to?: WireEvent["to"]): WireEvent {
  person.said += 1;
  const name = person.speakerUri.slice(person.speakerUri.lastIndexOf(":") + 1);
  return utterance(person.speakerUri, `${person.conversationId}/${name}/${person.said}`, `word ${person.said}`, to);
}

function whisper(person: Person): WireEvent {
  const { world, speakerUri } = person;
  const { chance, agents, people, evidence } = world;
  const others = [...agents.map((one) => one.speakerUri), ...people].filter((one) => one !== speakerUri);
  const addressee = chance.pick(others);
  const word = `secret-${evidence.secrets.length}-`;
  evidence.secrets.push({ word, mayKnow: [speakerUri, addressee] });
  person.said += 1;
  const name = speakerUri.slice(speakerUri.lastIndexOf(":") + 1);
  const id = `${person.conversationId}/${name}/${person.said}`;
  return utterance(speakerUri, id, word, { speakerUri: addressee, private: true });
}

/** Sometimes with what was said before, whispers too: those are not for the invitee (D16). */
function inviteSomebody(person: Person): WireEvent {
  const { chance } = person.world;
  const { speakerUri, serviceUrl } = someAgent(person);
  const to = chance.isHit(0.5) ? { serviceUrl } : { speakerUri, serviceUrl };
  const dialogHistory = chance.isHit(0.4) ? whispersSeen(person) : [];
  return { eventType: "invite", to, ...(dialogHistory.length > 0 && { parameters: { dialogHistory } }) };
}

function whispersSeen({ world, speakerUri, conversationId }: Person): unknown[] {
  const seen = world.evidence.viewed.filter(
    (one) => one.speakerUri === speakerUri && one.conversationId === conversationId && one.text.includes("secret-"),
  );
  return seen.slice(-2).flatMap(({ text }) => {
    const { events } = readEnvelope(text);
    return events.flatMap(({ parameters }) => parameters?.dialogEvent ?? []);
  });
}
