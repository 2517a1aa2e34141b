// Conversations written through the store port with decisions of the floor, without the way over HTTP.
import { decide, defaultOptions, emptyFloor } from "@plenary/floor";
import { createMemoryStore, createSqliteStore } from "@plenary/server";
import { utterance1kb } from "./envelopes.mjs";

const now = "2025-05-02T09:00:00.000Z";
const self = { speakerUri: "tag:floor.example.com,2025:plenary", serviceUrl: "https://floor.example.com/openfloor" };

export function openStore(file) {
  return file === ":memory:" ? createMemoryStore() : createSqliteStore(file);
}

function decided(floor, input) {
  const decision = decide(floor, input, now);
  if (decision.refusals.length > 0) throw new Error(JSON.stringify(decision.refusals));
  return decision;
}

/** Nothing is left to do: what was to be delivered was delivered long ago. */
async function append(store, before, decisions, dedupe = []) {
  const { floor } = decisions.at(-1);
  const entries = decisions.flatMap((decision) => decision.entries);
  const nothing = { deliveries: [], timers: [], settled: [], rung: [], dead: [] };
  const result = await store.log.append(floor.id, { floor, entries, dedupe, ...nothing }, before.seq);
  if (result !== "appended") throw new Error(`${floor.id}: ${result}`);
  return floor;
}

export const ownerOf = (id) => `tag:ann.example.com,2025:${id}`;

const twoGuests = ["bob", "cid"];

/** A conversation of people, all with names of their own: the owner and so many guests. */
export function openConversation(store, id, guests = twoGuests) {
  const named = guests.map((name) => `tag:${name}.example.com,2025:${id}`);
  const [owner, ...others] = [ownerOf(id), ...named].map((speakerUri) => ({
    speakerUri,
    serviceUrl: "",
    organization: "",
    conversationalName: "",
    synopsis: "",
  }));
  const empty = emptyFloor(id);
  const options = { ...defaultOptions, conversantsMax: Math.max(defaultOptions.conversantsMax, guests.length + 1) };
  const open = { verb: "open", self, owner, options };
  const decisions = [decided(empty, { kind: "command", command: open, by: "operator" })];
  for (const identification of others) {
    const command = { verb: "seat", identification, seatKind: "person" };
    decisions.push(decided(decisions.at(-1).floor, { kind: "command", command, by: "operator" }));
  }
  return append(store, empty, decisions);
}

const { openFloor: spoken } = JSON.parse(utterance1kb);

/** What the owner says: one envelope with so many utterances. */
function utteranceOf(floor, utterances) {
  const [event] = spoken.events;
  const speakerUri = ownerOf(floor.id);
  const events = Array.from({ length: utterances }, (_, index) => ({
    ...event,
    parameters: { dialogEvent: { ...event.parameters.dialogEvent, speakerUri, id: `de:${floor.seq}-${index}` } },
  }));
  const envelope = { ...spoken, conversation: { id: floor.id }, sender: { speakerUri }, events };
  const dedupe = events.map(({ parameters }) => ({ sender: speakerUri, dialogEventId: parameters.dialogEvent.id }));
  return { decision: decided(floor, { kind: "envelope", envelope, dialect: "1.1", carried: {}, facts: {} }), dedupe };
}

/** One envelope with so many utterances, as one append. */
export function say(store, floor, utterances) {
  const { decision, dedupe } = utteranceOf(floor, utterances);
  return append(store, floor, [decision], dedupe);
}

const appendedTogether = 512;

/** One utterance in each envelope and each append, until the log has so many entries. Many appends share a commit. */
export async function talkUntil(store, floor, entries) {
  let next = floor;
  while (next.seq < entries) {
    const group = [];
    while (next.seq < entries && group.length < appendedTogether) {
      const { decision, dedupe } = utteranceOf(next, 1);
      group.push(append(store, next, [decision], dedupe));
      next = decision.floor;
    }
    await Promise.all(group);
  }
  return next;
}
