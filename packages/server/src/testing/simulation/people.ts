import type { Command } from "@plenary/floor";
import type { CommandBy } from "../../conversation/context.ts";
import { credentialOf, post, sendCommand } from "./client.ts";
import { envelopeText, type RawEvent, readEnvelope, utterance } from "./raw-envelope.ts";
import type { World } from "./world.ts";

type Person = { world: World; speakerUri: string; conversationId: string; utteranceCount: number };

/** A person that sends random events until the run rests. */
export function startPerson(world: World, speakerUri: string, conversationId: string): void {
  const person: Person = { world, speakerUri, conversationId, utteranceCount: 0 };
  const { time, random } = world;
  const action = () => {
    if (world.isResting) return;
    const events = Array.from({ length: random.isTrue(0.2) ? 2 : 1 }, () => randomEvent(person));
    send(person, events);
    // Sometimes two requests at once, as from two windows.
    if (random.isTrue(0.1)) send(person, [randomEvent(person)]);
    if (world.hasCommands) sendRandomCommand(person);
    time.after(random.between(200, 16_000), action);
  };
  time.after(random.between(100, 3_000), action);
}

const commands: readonly Command[] = [
  ...Array<Command>(4).fill({ verb: "pause" }),
  { verb: "resume" },
  { verb: "title", title: "Birds" },
  { verb: "title" },
];

/** Sends a command, allowed or not, during or after the work of the agents. */
function sendRandomCommand({ world, conversationId, speakerUri }: Person): void {
  const { time, random } = world;
  const command = random.pick(commands);
  const by = random.pick<CommandBy>([{ by: "person", speakerUri }, { by: "owner", speakerUri }, { by: "operator" }]);
  time.after(random.between(1, 3_000), () => sendCommand(world, conversationId, command, by));
}

function send({ world, speakerUri, conversationId }: Person, events: RawEvent[]): void {
  const text = envelopeText({ conversation: { id: conversationId }, sender: { speakerUri }, events });
  post(world, { text, principal: credentialOf(speakerUri) });
}

const actions: readonly [weight: number, action: (person: Person) => RawEvent][] = [
  [8, (person) => say(person)],
  [4, (person) => say(person, { speakerUri: randomAgent(person).speakerUri })],
  [5, (person) => whisper(person)],
  [4, (person) => inviteAgent(person)],
  [2, (person) => ({ eventType: "uninvite", to: { speakerUri: randomAgent(person).speakerUri } })],
  [3, () => ({ eventType: "requestFloor" })],
  [1, () => ({ eventType: "yieldFloor" })],
  [2, (person) => ({ eventType: "grantFloor", to: { speakerUri: randomAgent(person).speakerUri } })],
  [2, (person) => ({ eventType: "revokeFloor", to: { speakerUri: randomAgent(person).speakerUri } })],
  [0.15, () => ({ eventType: "bye" })],
];

const weights = actions.reduce((sum, [weight]) => sum + weight, 0);

function randomEvent(person: Person): RawEvent {
  let remaining = person.world.random.next() * weights;
  for (const [weight, action] of actions) {
    remaining -= weight;
    if (remaining < 0) return action(person);
  }
  return say(person);
}

function randomAgent({ world: { random, agents } }: Person) {
  return random.pick(agents);
}

function say(person: Person, to?: RawEvent["to"]): RawEvent {
  person.utteranceCount += 1;
  const name = person.speakerUri.slice(person.speakerUri.lastIndexOf(":") + 1);
  return utterance(
    person.speakerUri,
    `${person.conversationId}/${name}/${person.utteranceCount}`,
    `word ${person.utteranceCount}`,
    to,
  );
}

function whisper(person: Person): RawEvent {
  const { world, speakerUri } = person;
  const { random, agents, people, evidence } = world;
  const others = [...agents.map((one) => one.speakerUri), ...people].filter((one) => one !== speakerUri);
  const addressee = random.pick(others);
  const word = `secret-${evidence.secrets.length}-`;
  evidence.secrets.push({ word, mayKnow: [speakerUri, addressee] });
  person.utteranceCount += 1;
  const name = speakerUri.slice(speakerUri.lastIndexOf(":") + 1);
  const id = `${person.conversationId}/${name}/${person.utteranceCount}`;
  return utterance(speakerUri, id, word, { speakerUri: addressee, private: true });
}

/** Sometimes with a history of whispers, which the invitee must not receive (D16). */
function inviteAgent(person: Person): RawEvent {
  const { random } = person.world;
  const { speakerUri, serviceUrl } = randomAgent(person);
  const to = random.isTrue(0.5) ? { serviceUrl } : { speakerUri, serviceUrl };
  const dialogHistory = random.isTrue(0.4) ? whispersSeen(person) : [];
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
