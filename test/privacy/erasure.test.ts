// Erased text is removed from every output, and from the files.
import { existsSync, readFileSync } from "node:fs";
import { verifySqlite } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Json } from "../support/envelopes.ts";
import { utterance } from "../support/envelopes.ts";
import { closeAgents, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { createCanary } from "./canary.ts";
import { type CanaryFloor, startCanaryFloor } from "./canary-floor.ts";
import { ann, bob, cid } from "./participants.ts";

const secret = "TOP-SECRET";
const root = "/api/v1/conversations/c";
let floor: CanaryFloor;

beforeEach(async () => {
  floor = await startCanaryFloor(createCanary());
  for (const person of [ann, bob, cid]) await floor.giveKey(person, true);
  await floor.call(ann, "POST", "/api/v1/conversations", { body: { id: "c" } });
  await floor.call(ann, "POST", `${root}/seat`, { body: { identification: { speakerUri: bob } } });
});
afterEach(async () => {
  await closeAgents();
  await floor.close();
});

async function send(as: string, events: object[]): Promise<void> {
  const openFloor = { schema: { version: "1.1.0" }, conversation: { id: "c" }, sender: { speakerUri: as }, events };
  const body = { openFloor };
  const { status, text } = await floor.call(as, "POST", "/openfloor", { body, headers: { prefer: "wait=5" } });
  expect(status, text).toBe(200);
}

async function log(who: string): Promise<Json[]> {
  return (await floor.call(who, "GET", `${root}/log?limit=1000`)).json.entries as Json[];
}

const placeOf = (entries: Json[], kind = "event") =>
  Number(entries.find((entry) => entry.kind === kind && JSON.stringify(entry).includes(secret))?.seq);

function inFiles(): number {
  const files = [floor.file, `${floor.file}-wal`, `${floor.file}-shm`].filter((file) => existsSync(file));
  return files.reduce((count, file) => count + readFileSync(file, "latin1").split(secret).length - 1, 0);
}

test("after the owner erases an utterance its text is readable nowhere, and verify succeeds", async () => {
  const broken = await startAgent((heard, me) => {
    return textsIn(heard).length === 0 ? silent(heard, me) : { status: 500, body: "out of order" };
  });
  await send(ann, [{ eventType: "invite", to: { serviceUrl: broken.url } }]);
  await send(ann, [utterance(ann, "before")]);
  await send(bob, [utterance(bob, `${secret} and more`, { reason: `${secret} too` }), utterance(bob, "beside it")]);
  await send(ann, [utterance(ann, "after")]);
  await expect
    .poll(async () => (await floor.call("operator", "GET", "/api/v1/dead-letters")).text, { timeout: 60_000 })
    .toContain(secret);
  expect(inFiles()).toBeGreaterThan(0);
  const seq = placeOf(await log(ann));
  const refused = await floor.call(bob, "POST", `${root}/erase`, { body: { seq } });
  expect(refused.status).toBe(403);
  const erased = await floor.call(ann, "POST", `${root}/erase`, { body: { seq } });
  expect(erased.status, erased.text).toBe(200);

  expect(inFiles()).toBe(0);
  const stream = await floor.listen(bob, "c");
  await expect.poll(() => stream.text(), { timeout: 60_000 }).toContain("after");
  const socket = await floor.watch(ann, "c");
  await expect.poll(() => socket.raw.join("\n"), { timeout: 60_000 }).toContain("after");
  const sinks = {
    ann: await log(ann),
    bob: await log(bob),
    operator: await log("operator"),
    state: (await floor.call(ann, "GET", `${root}?at=${seq}`)).json,
    dead: (await floor.call("operator", "GET", `/api/v1/dead-letters?speaker=${encodeURIComponent(bob)}`)).json,
    stream: stream.text(),
    socket: socket.raw,
  };
  for (const [name, sink] of Object.entries(sinks)) expect(JSON.stringify(sink), name).not.toContain(secret);
  for (const name of ["ann", "bob", "stream", "socket", "dead"] as const) {
    expect(JSON.stringify(sinks[name]), name).toContain("beside it");
  }
  expect(sinks.ann.map(({ seq: place }) => place)).toEqual(sinks.ann.map((_, index) => index + 1));
  expect(sinks.bob.at(-1)).toMatchObject({ kind: "erased", erases: seq });
  const [verdict] = [...verifySqlite(floor.file)];
  expect(verdict).toMatchObject({ conversation: "c", erased: 1 });
  expect(verdict).not.toHaveProperty("problem");
});

test("a repetition of an erased utterance has no second effect", async () => {
  const said = utterance(bob, secret, { id: "the-same" });
  await send(bob, [said]);
  const seq = placeOf(await log(ann));
  await floor.call(ann, "POST", `${root}/erase`, { body: { seq } });
  const before = await log(ann);
  await send(bob, [said]);
  expect(await log(ann)).toEqual(before);
  expect(inFiles()).toBe(0);
});

test("an erased utterance stays hidden when the past is revealed", async () => {
  await send(bob, [utterance(bob, secret)]);
  await floor.call(ann, "POST", `${root}/erase`, { body: { seq: placeOf(await log(ann)) } });
  await floor.call(ann, "POST", `${root}/seat`, { body: { identification: { speakerUri: cid } } });
  await floor.call(ann, "POST", `${root}/reveal`, { body: { speakerUri: cid } });
  const shown = JSON.stringify(await log(cid));
  expect(shown).toContain("[erased]");
  expect(shown).not.toContain(secret);
});

test("erasing an entry without text is refused, and nothing is written", async () => {
  await send(bob, [utterance(bob, secret)]);
  const before = await log(ann);
  const held = ["event", "received", "hidden"];
  const bare = before.filter(({ kind }) => !held.includes(String(kind)));
  expect(bare.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["opened", "seated"]));
  for (const who of [ann, "operator"]) {
    for (const { seq, kind } of bare) {
      const { status, json } = await floor.call(who, "POST", `${root}/erase`, { body: { seq } });
      expect([kind, status]).toEqual([kind, 422]);
      expect(json).toMatchObject({ type: "urn:plenary:problem:refused", pointer: "/seq" });
      expect(json.detail).toBe(`/seq: entry ${seq} (${kind}) has no event, so there is nothing to erase`);
    }
  }
  expect(await log(ann)).toEqual(before);
  const missing = await floor.call(ann, "POST", `${root}/erase`, { body: { seq: before.length + 1 } });
  expect(missing.status).toBe(404);
});

test("persistent state of an older peer is not erased with an utterance, and verify succeeds", async () => {
  const conversation = { id: "c", persistentState: { shelf: "KEPT-ASIDE" } };
  const schema = { version: "0.9.3", url: "https://github.com/open-voice-interoperability" };
  const events = [utterance(bob, secret)];
  const ovon = { schema, conversation, sender: { from: bob, speakerUri: bob }, events };
  const { status, text } = await floor.call(bob, "POST", "/openfloor", { body: { ovon } });
  expect(status, text).toBe(200);
  expect((await floor.call(ann, "POST", `${root}/erase`, { body: { seq: placeOf(await log(ann)) } })).status).toBe(200);
  expect(inFiles()).toBe(0);
  expect(readFileSync(floor.file, "latin1")).toContain("KEPT-ASIDE");
  expect([...verifySqlite(floor.file)][0]).not.toHaveProperty("problem");
});
