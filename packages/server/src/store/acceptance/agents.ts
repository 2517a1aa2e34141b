import assert from "node:assert/strict";
import { invite } from "@plenary/protocol";
import type { FloorStore } from "../../ports/store.ts";
import { type AcceptanceCase, bot, changeOf, opened, saying } from "./fixture.ts";

const echo = { serviceUrl: "http://echo.example/", known: '{"health":"answering"}' };
const clock = { serviceUrl: "http://clock.example/", known: '{"health":"silent","name":"\\u001b[2J"}' };

async function kept(store: FloorStore) {
  const agents = await store.agents();
  return agents.toSorted((one, other) => one.serviceUrl.localeCompare(other.serviceUrl));
}

/** What every store promises about the agents that a floor knows. */
export const agentAcceptance: readonly AcceptanceCase[] = [
  {
    name: "agents are kept by their addresses, and no conversation knows of them",
    async run(store) {
      assert.deepEqual(await store.agents(), []);
      await opened(store, "c");
      const floor = await store.load("c");
      await store.keepAgents({ kept: [echo, clock], forgotten: [] });
      assert.deepEqual(await kept(store), [clock, echo]);
      assert.deepEqual(await store.load("c"), floor);
      assert.equal((await store.entries("c", { after: 0, limit: 10 })).length, floor?.seq);
    },
  },
  {
    name: "of an agent the newest is kept, and what is forgotten is gone",
    async run(store) {
      await store.keepAgents({ kept: [echo, clock], forgotten: [] });
      const newer = { ...echo, known: '{"health":"failing"}' };
      await store.keepAgents({ kept: [newer], forgotten: [clock.serviceUrl, "http://nobody.example/"] });
      assert.deepEqual(await kept(store), [newer]);
      // Forgotten and met again at once: it is known.
      await store.keepAgents({ kept: [echo], forgotten: [echo.serviceUrl] });
      assert.deepEqual(await kept(store), [echo]);
    },
  },
  {
    name: "manifests are kept by their keys, the newest of each, and have nothing to do with the agents of a floor",
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
    name: "a delivery keeps the dialect that it was first written in, whatever is learned of its recipient meanwhile",
    async run(store) {
      const floor = await opened(store, "c");
      const change = changeOf(saying(floor, invite({ to: bot })));
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
