import type { ConversationView, KnownAgent } from "@plenary/client";
import { expect, test } from "vitest";
import { healthText } from "../agents/known-agents.tsx";
import { candidatesOf } from "./known-agents.tsx";

const view: ConversationView = {
  id: "c",
  seq: 1,
  isClosed: false,
  isPaused: false,
  floorGranted: [],
  options: {} as ConversationView["options"],
  assignedFloorRoles: {},
  floorRequested: [],
  conversants: [{ ...seat("tag:here", "https://here.example/"), hasFloor: true }],
};

function identificationOf(speakerUri: string, serviceUrl: string, conversationalName: string, synopsis: string) {
  return { speakerUri, serviceUrl, conversationalName, synopsis, organization: "" };
}

function seat(speakerUri: string, serviceUrl: string) {
  const identification = identificationOf(speakerUri, serviceUrl, "Here", "");
  return { identification, kind: "agent" as const, state: "joined" as const, since: 1, misses: 0 };
}

function agent(name: string, more: Partial<KnownAgent> = {}, synopsis = ""): KnownAgent {
  const serviceUrl = `https://${name}.example/`;
  const identification = identificationOf(`tag:${name}`, serviceUrl, name, synopsis);
  const manifest = { identification, capabilities: [] };
  return { serviceUrl, manifest, health: "answering", quirks: [], ...more } as KnownAgent;
}

const names = (agents: readonly KnownAgent[], query = "") => candidatesOf(agents, view, query).map(({ name }) => name);

test("agents that are here come first, then those that answer, then by name", () => {
  const here = [agent("own", { isHosted: true }), agent("nat", { isConnected: true })];
  const agents = [agent("zoe"), agent("amy", { health: "silent" }), agent("bob"), ...here];
  expect(names(agents)).toEqual(["nat", "own", "bob", "zoe", "amy"]);
});

test("conveners come last", () => {
  const chair = agent("ace", { isHosted: true });
  const identification = {
    ...identificationOf("tag:ace", "https://ace.example/", "ace", ""),
    openFloorRoles: { convener: true },
  };
  expect(names([{ ...chair, manifest: { identification, capabilities: [] } }, agent("zoe")])).toEqual(["zoe", "ace"]);
});

test.each<[object, string]>([
  [{}, "answers"],
  [{ latencyMs: { p50: 12 } }, "answers in 12 ms"],
  [{ latencyMs: { p50: 1_449 } }, "answers in 1.4 s"],
  [{ health: "silent", trouble: { detail: "nobody home" }, latencyMs: { p50: 1 } }, "does not answer: nobody home"],
  [
    { health: "failing", trouble: { detail: "its answer is no envelope" } },
    "answers wrongly: its answer is no envelope",
  ],
  [{ health: "silent" }, "does not answer"],
])("%j: it %s", (more, words) => {
  expect(healthText(agent("bob", more))).toBe(words);
});

test("every word of the query must match", () => {
  const agents = [agent("poet", {}, "Writes short verse"), agent("clock", {}, "Tells the time")];
  expect(names(agents, "VERSE short")).toEqual(["poet"]);
  expect(names(agents, "clock.example")).toEqual(["clock"]);
  expect(names(agents, "verse time")).toEqual([]);
});

test("an agent that is here is recognized by its speakerUri or address", () => {
  const byName = agent("a", {
    manifest: { identification: identificationOf("tag:here", "", "a", ""), capabilities: [] },
  });
  const found = candidatesOf([byName, agent("here"), agent("other")], view, "");
  expect(found.map(({ name, isHere }) => [name, isHere])).toEqual([
    ["a", true],
    ["here", true],
    ["other", false],
  ]);
});

test("an agent without a manifest is shown by its host", () => {
  const { manifest: _, ...bare } = agent("quiet", { serviceUrl: "https://quiet.example/of" });
  expect(names([bare])).toEqual(["quiet.example"]);
});
