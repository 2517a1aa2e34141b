import assert from "node:assert/strict";
import { invite } from "@plenary/protocol";
import type { FloorStore } from "../../ports/store.ts";
import { type AcceptanceCase, bot, changeOf, envelopeDecision, openConversation } from "./fixture.ts";

const echo = { serviceUrl: "http://echo.example/", known: '{"health":"answering"}' };
const clock = { serviceUrl: "http://clock.example/", known: '{"health":"silent","name":"\\u001b[2J"}' };

async function kept(store: FloorStore) {
  const agents = await store.agents();
  return agents.toSorted((one, other) => one.serviceUrl.localeCompare(other.serviceUrl));
}

/** The required behaviour of every store for known agents and manifests. */
export const agentAcceptance: readonly AcceptanceCase[] = [
  {
    name: "agents are stored by address, and are in no conversation",
    async run(store) {
      assert.deepEqual(await store.agents(), []);
      await openConversation(store, "c");
      const floor = await store.load("c");
      await store.keepAgents({ kept: [echo, clock], forgotten: [] });
      assert.deepEqual(await kept(store), [clock, echo]);
      assert.deepEqual(await store.load("c"), floor);
      assert.equal((await store.entries("c", { after: 0, limit: 10 })).length, floor?.seq);
    },
  },
  {
    name: "the newest record of an agent replaces the older one, and a forgotten agent is deleted",
    async run(store) {
      await store.keepAgents({ kept: [echo, clock], forgotten: [] });
      const newer = { ...echo, known: '{"health":"failing"}' };
      await store.keepAgents({ kept: [newer], forgotten: [clock.serviceUrl, "http://nobody.example/"] });
      assert.deepEqual(await kept(store), [newer]);
      // In `forgotten` and `kept` of one call: it is kept.
      await store.keepAgents({ kept: [echo], forgotten: [echo.serviceUrl] });
      assert.deepEqual(await kept(store), [echo]);
    },
  },
  {
    name: "manifests are stored by key, the newest of each, apart from the agents",
    async run(store) {
      const [one, other] = [
        { key: "tag:a,2026:a http://a.example/", known: '{"name":"a"}' },
        { key: "tag:b,2026:b http://b.example/", known: '{"name":"b"}' },
      ];
      assert.deepEqual(await store.manifests(), []);
      await store.keepManifests({ kept: [one, other], forgotten: [] });
      const newer = { ...one, known: '{"name":"newer"}' };
      await store.keepManifests({ kept: [newer], forgotten: [other.key, "nobody", one.key] });
      assert.deepEqual(await store.manifests(), [newer]);
      assert.deepEqual(await store.agents(), []);
    },
  },
  {
    name: "a delivery keeps its first dialect, even when the agent's record changes",
    async run(store) {
      const floor = await openConversation(store, "c");
      const change = changeOf(envelopeDecision(floor, invite({ to: bot })));
      const deliveries = change.deliveries.map((effect) => ({ ...effect, dialect: "0.9" as const }));
      await store.append("c", { ...change, deliveries }, floor.seq);
      const pending = await store.pending();
      assert.deepEqual(
        pending.deliveries.map(({ effect }) => effect.dialect),
        ["0.9"],
      );
    },
  },
];
