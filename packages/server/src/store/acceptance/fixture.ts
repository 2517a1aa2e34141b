import assert from "node:assert/strict";
import {
  type Command,
  type Decision,
  decide,
  defaultOptions,
  emptyFloor,
  type Floor,
  type FloorOptions,
  type Input,
} from "@plenary/floor";
import { envelope, type FloorEvent, textUtterance } from "@plenary/protocol";
import type { Change } from "../../ports/conversation-log.ts";
import type { FloorStore } from "../../ports/store.ts";

/** One required behaviour of a store, independent of a test runner. */
export type AcceptanceCase = { name: string; run: (store: FloorStore) => Promise<void> };

export const ann = "tag:ann.example,2026:ann";
export const bot = { speakerUri: "tag:bot.example,2026:bot", serviceUrl: "http://bot.example/" };
export const now = "2026-01-01T00:00:00.000Z";

export function changeOf({ floor, entries, effects }: Decision, more: Partial<Change> = {}): Change {
  const deliveries = effects.filter((effect) => effect.kind === "deliver");
  const timers = effects.filter((effect) => effect.kind === "timer").map(({ id, at }) => ({ id, at, since: now }));
  return { floor, entries, deliveries, timers, dedupe: [], settled: [], rung: [], dead: [], ...more };
}

export function openDecision(id: string, options: Partial<FloorOptions> = {}): Decision {
  const owner = { speakerUri: ann, serviceUrl: "", organization: "", conversationalName: "Ann", synopsis: "" };
  const self = { speakerUri: "tag:floor.example,2026:floor" };
  const command = { verb: "open", self, owner, options: { ...defaultOptions, ...options } } as const;
  return decide(emptyFloor(id), { kind: "command", command, by: "operator" }, now);
}

export function envelopeDecision(floor: Floor, ...events: FloorEvent[]): Decision {
  const input: Input = {
    kind: "envelope",
    envelope: envelope({ conversation: { id: floor.id }, sender: { speakerUri: ann }, events }),
  };
  return decide(floor, input, now);
}

export const utterance = (text: string, id = text) => textUtterance(text, { speakerUri: ann, id, startTime: now });

export async function openConversation(store: FloorStore, id: string): Promise<Floor> {
  const decision = openDecision(id);
  assert.equal(await store.log.append(id, changeOf(decision), 0), "appended");
  return decision.floor;
}

export async function conversationWithUtterances(store: FloorStore, id: string, words: number): Promise<Floor> {
  let floor = await openConversation(store, id);
  for (let count = 0; count < words; count += 1) {
    const decision = envelopeDecision(floor, utterance(`word ${count}`));
    assert.equal(await store.log.append(id, changeOf(decision), floor.seq), "appended");
    floor = decision.floor;
  }
  return floor;
}

export function seatDecision(floor: Floor): Decision {
  const identification = { ...bot, organization: "", conversationalName: "Bot", synopsis: "" };
  const command = { verb: "seat", identification, seatKind: "agent" } as const;
  return decide(floor, { kind: "command", command, by: "operator" }, now);
}

type CommandBy = { by: "operator" } | { by: "owner"; speakerUri: string } | { by: "link" };

/** The floor after a command. */
export async function afterCommand(
  store: FloorStore,
  floor: Floor,
  command: Command,
  by: CommandBy = { by: "operator" },
): Promise<Floor> {
  const decision = decide(floor, { kind: "command", command, ...by }, now);
  assert.equal(await store.log.append(floor.id, changeOf(decision), floor.seq), "appended");
  return decision.floor;
}
