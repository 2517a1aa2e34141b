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
async function append(store, before, decisions) {
  const { floor } = decisions.at(-1);
  const entries = decisions.flatMap((decision) => decision.entries);
  const nothing = { deliveries: [], timers: [], dedupe: [], settled: [], rung: [], dead: [] };
  const result = await store.log.append(floor.id, { floor, entries, ...nothing }, before.seq);
  if (result !== "appended") throw new Error(`${floor.id}: ${result}`);
  return floor;
}

export const ownerOf = (id) => `tag:ann.example.com,2025:${id}`;

/** A conversation of three people, all with names of their own. */
export function openConversation(store, id) {
  const [owner, ...guests] = [ownerOf(id), `tag:bob.example.com,2025:${id}`, `tag:cid.example.com,2025:${id}`].map(
    (speakerUri) => ({ speakerUri, serviceUrl: "", organization: "", conversationalName: "", synopsis: "" }),
  );
  const empty = emptyFloor(id);
  const open = { verb: "open", self, owner, options: defaultOptions };
  const decisions = [decided(empty, { kind: "command", command: open, by: "operator" })];
  for (const identification of guests) {
    const command = { verb: "seat", identification, seatKind: "person" };
    decisions.push(decided(decisions.at(-1).floor, { kind: "command", command, by: "operator" }));
  }
  return append(store, empty, decisions);
}

/** One envelope with so many utterances, as one append. */
export function say(store, floor, utterances) {
  const { openFloor } = JSON.parse(utterance1kb);
  const [event] = openFloor.events;
  const speakerUri = ownerOf(floor.id);
  const events = Array.from({ length: utterances }, (_, index) => ({
    ...event,
    parameters: { dialogEvent: { ...event.parameters.dialogEvent, speakerUri, id: `de:${floor.seq}-${index}` } },
  }));
  const envelope = { ...openFloor, conversation: { id: floor.id }, sender: { speakerUri }, events };
  const input = { kind: "envelope", envelope, dialect: "1.1", carried: {}, facts: {} };
  return append(store, floor, [decided(floor, input)]);
}
