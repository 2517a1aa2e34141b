// D17: a loop over two floors stops however the bridge between them is seated. The bridge is plain HTTP and JSON.
import { createMemoryCredentials, newCredentialToken } from "@plenary/server";
import { afterEach, expect, test } from "vitest";
import { said, textOf, utterance } from "../support/envelopes.ts";
import { echo, startAgent } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";

const bridge = "tag:bridges.example,2026:bridge";
const ben = "tag:people.example,2026:ben";
const passesMax = 60;

const worlds: TestFloor[] = [];
afterEach(async () => {
  for (const testFloor of worlds.splice(0)) {
    await testFloor.close();
    expect(testFloor.errors).toEqual([]);
  }
});

/** A floor with one agent that answers all utterances, a person, and the bridge: its owner, or another person. */
async function startFloor({ isOwner, isPersonsKey }: { isOwner: boolean; isPersonsKey: boolean }) {
  const credentials = createMemoryCredentials();
  const testFloor = await startTestFloor({ credentials });
  worlds.push(testFloor);
  const { id, hash, token } = newCredentialToken("key");
  const bound = { speakers: [bridge], isPerson: isPersonsKey, scopes: ["host"] as const };
  await credentials.add({ id, kind: "key", hash, ...bound, createdAt: new Date().toISOString() });
  const [owner, other] = isOwner ? [bridge, ben] : [ben, bridge];
  await testFloor.call("POST", "/api/v1/conversations", { id: "c", owner: { identification: { speakerUri: owner } } });
  await testFloor.call("POST", "/api/v1/conversations/c/seat", {
    identification: { speakerUri: other },
    kind: "person",
  });
  await testFloor.invite("c", await startAgent(echo), { as: owner });
  const headers = { authorization: `Bearer ${token}` };
  let read = (await testFloor.log("c")).length;
  return {
    testFloor,
    /** The utterances of others since the last pass of the bridge. */
    unread: async () => {
      const query = `speaker=${encodeURIComponent(bridge)}&after=${read}&limit=1000`;
      const { body } = await testFloor.call("GET", `/api/v1/conversations/c/log?${query}`, undefined, headers);
      const entries = body.entries as { seq: number; sender?: string; depth?: number; event?: never }[];
      read = entries.at(-1)?.seq ?? read;
      return entries.filter(({ sender, event }) => sender !== bridge && textOf(event) !== undefined);
    },
    say: (text: string, baggage: string | undefined) => {
      const more = baggage === undefined ? {} : { baggage };
      return testFloor.send("c", [utterance(bridge, text)], { as: bridge, headers: { ...headers, ...more } });
    },
  };
}

type Floor = Awaited<ReturnType<typeof startFloor>>;

/** Relays utterances between the floors until a pass finds nothing new; returns the number of passes. */
async function carry(floors: readonly [Floor, Floor], baggageOf: (depth: number) => string | undefined) {
  for (let pass = 1; pass <= passesMax; pass += 1) {
    let carried = 0;
    for (const [at, floor] of floors.entries()) {
      for (const { event, depth = 0 } of await floor.unread()) {
        carried += 1;
        await floors[1 - at]?.say(`carried ${textOf(event)}`, baggageOf(depth + 1));
      }
    }
    if (carried === 0) return pass;
  }
  return passesMax;
}

const nameOf = async ({ testFloor }: Floor) =>
  ((await testFloor.call("GET", "/api/v1/me")).body as { floor: { speakerUri: string } }).floor.speakerUri;

test.each([
  ["the owner, by an agent's key", { isOwner: true, isPersonsKey: false }, "nothing"],
  ["a person, by an agent's key", { isOwner: false, isPersonsKey: false }, "nothing"],
  ["the owner, by an agent's key", { isOwner: true, isPersonsKey: false }, "depth"],
  ["the owner, by a person's key", { isOwner: true, isPersonsKey: true }, "depth"],
  ["the owner, by a person's key", { isOwner: true, isPersonsKey: true }, "floors"],
] as const)(
  "a loop over two floors stops: the bridge is seated as %s, %j, and passes on %s",
  async (_, seated, trail) => {
    const floors = [await startFloor(seated), await startFloor(seated)] as const;
    const names = await Promise.all(floors.map(nameOf));
    expect(new Set(names).size).toBe(2);
    const baggages = {
      nothing: () => undefined,
      depth: (depth: number) => `plenary.depth=${depth}`,
      floors: () => `plenary.floors=${encodeURIComponent(names.join(" "))}`,
    };
    const [first] = floors;
    expect(said(await first.testFloor.say("c", "hello", { as: ben }))).toHaveLength(1);
    expect(await carry(floors, baggages[trail])).toBeLessThan(passesMax);
    const rules = (await Promise.all(floors.map(({ testFloor }) => testFloor.log("c")))).flat();
    expect(rules.filter(({ kind }) => kind === "paused").map(({ because }) => because)).toContain("loop/depth");
    // An utterance of a person is still relayed.
    for (const { testFloor } of floors)
      expect(said(await testFloor.say("c", "go on", { as: ben })).length).toBeGreaterThan(0);
  },
);
