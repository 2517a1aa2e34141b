// On a public floor, an agent that answers from another address waits until the owner allows or refuses the move.
import { createMemoryCredentials, newCredentialToken } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, said } from "../support/envelopes.ts";
import { type Agent, closeAgents } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { clock, restart, startOnAPort } from "./restarts-on-another-port.ts";

const ben = "tag:people.example,2026:ben";
type Headers = Record<string, string>;
type Move = { speakerUri: string; serviceUrl: string; boundTo?: string; name?: string };

let floor: TestFloor;
let anns: Headers;
let bens: Headers;
let credentials: ReturnType<typeof createMemoryCredentials>;
let before: Agent;
let after: Agent;

/** Ann owns "c"; Clock joined another conversation before, and answers her invite from another port. */
beforeEach(async () => {
  credentials = createMemoryCredentials();
  floor = await startTestFloor({ credentials, proxies: 1 });
  anns = await keyOf(ann, ["host"]);
  bens = await keyOf(ben, ["host"]);
  before = await startOnAPort();
  await floor.invite("earlier", before);
  after = await restart(before);
  await floor.call("POST", "/api/v1/conversations", { id: "c" }, anns);
  await floor.call("POST", "/api/v1/conversations/c/seat", { identification: { speakerUri: ben } }, anns);
  await floor.invite("c", after);
});

afterEach(async () => {
  await floor.close();
  await closeAgents();
  expect(floor.errors).toEqual([]);
});

async function keyOf(speakerUri: string, scopes: readonly "host"[]): Promise<Headers> {
  const { id, hash, token } = newCredentialToken("key");
  const createdAt = new Date().toISOString();
  await credentials.add({ id, kind: "key", hash, speakers: [speakerUri], scopes, isPerson: true, createdAt });
  return { authorization: `Bearer ${token}` };
}

const movesIn = async (headers: Headers = {}) =>
  (await floor.call("GET", "/api/v1/conversations/c", undefined, headers)).body.moves as Move[] | undefined;

const answerMove = (allow: boolean, headers: Headers = {}) =>
  floor.call("POST", "/api/v1/conversations/c/move", { speakerUri: clock, allow }, headers);

const clockIn = async (conversation: string) => {
  const { conversants } = await floor.state(conversation);
  return conversants.find(({ identification }) => identification.speakerUri === clock);
};

test("the owner and the operator see the agent with its new and its old address; others do not", async () => {
  const move = { speakerUri: clock, serviceUrl: after.url, boundTo: before.url };
  expect(await movesIn(anns)).toEqual([move]);
  expect(await movesIn()).toEqual([move]);
  expect(await movesIn(bens)).toBeUndefined();
});

test("the owner allows a move in one step: the agent is invited at its new address, and joins", async () => {
  expect((await answerMove(true, anns)).status).toBe(200);
  await expect.poll(async () => (await clockIn("c"))?.state).toBe("joined");
  expect(await clockIn("c")).toMatchObject({ identification: { serviceUrl: after.url } });
  expect(await movesIn(anns)).toBeUndefined();
  expect(said(await floor.say("c", "where are you?"))).toEqual([[clock, `from ${after.url}`]]);
});

test("an owner allows a move for this conversation; the operator allows it for all", async () => {
  await answerMove(true, anns);
  const there = { speakerUri: clock, serviceUrl: after.url };
  const invited = await floor.send("d", [{ eventType: "invite", to: there }]);
  expect(invited.body.refused).toMatchObject([{ because: "guard/bound-elsewhere" }]);
  expect((await floor.call("POST", "/api/v1/conversations/d/move", { speakerUri: clock, allow: true })).status).toBe(
    200,
  );
  expect((await floor.send("e", [{ eventType: "invite", to: there }])).body.refused).toBeUndefined();
});

test("an agent whose move is refused stays out, and the owner is not asked again before its next attempt", async () => {
  expect((await answerMove(false, anns)).status).toBe(200);
  expect(await movesIn(anns)).toBeUndefined();
  expect(await clockIn("c")).toBeUndefined();
  expect(await floor.log("c")).toContainEqual(
    expect.objectContaining({ kind: "dismissed", because: "command/move/owner", speakerUri: clock }),
  );
  await floor.invite("c", after);
  expect(await movesIn(anns)).toHaveLength(1);
});

test("people who are not the owner, guests and agents can neither allow nor refuse a move", async () => {
  const { link } = (await floor.call("POST", "/api/v1/conversations/c/links", {}, anns)).body as { link: string };
  const invite = link.split("#invite=")[1];
  const guest = (await floor.call("POST", "/api/v1/guests", { invite })).body as { token: string };
  const agent = newCredentialToken("key");
  const createdAt = new Date().toISOString();
  await credentials.add({ ...agent, kind: "key", speakers: [clock], scopes: [], isPerson: false, createdAt });
  const anonymousLimit: [Record<string, string>, number][] = [
    [bens, 403],
    [{ authorization: `Bearer ${guest.token}` }, 403],
    // The agent has no seat, so the conversation does not exist for it.
    [{ authorization: `Bearer ${agent.token}` }, 404],
  ];
  for (const [headers, status] of anonymousLimit) {
    for (const allow of [true, false]) expect((await answerMove(allow, headers)).status).toBe(status);
  }
  expect(await movesIn(anns)).toHaveLength(1);
  expect(await clockIn("c")).toBeUndefined();
});

test("a missing request for a move gets 404, and a request body without a decision gets 400", async () => {
  const nobody = { speakerUri: "tag:nobody.example,2026:1", allow: true };
  const { status, body } = await floor.call("POST", "/api/v1/conversations/c/move", nobody, anns);
  expect([status, body.because]).toEqual([404, "command/move/unknown"]);
  const bare = await floor.call("POST", "/api/v1/conversations/c/move", { speakerUri: clock }, anns);
  expect([bare.status, bare.body.pointer]).toEqual([400, "/allow"]);
});

test("an agent that has joined from the old address moves when the owner allows it", async () => {
  const old = await startOnAPort("tag:other.example,2026:1");
  const young = await startOnAPort("tag:other.example,2026:1");
  await floor.invite("c", old);
  await floor.invite("c", young);
  const path = "/api/v1/conversations/c/move";
  expect((await floor.call("POST", path, { speakerUri: old.speakerUri, allow: true }, anns)).status).toBe(200);
  const words = said(await floor.say("c", "where are you?"));
  expect(words).toEqual([[old.speakerUri, `from ${young.url}`]]);
});
