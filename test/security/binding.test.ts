// Trust on first use: a speaker is bound to the address it first joined from, until an authorized rebind.
import { createMemoryCredentials, createMemoryStore, newCredentialToken, relayUrlOf } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, utterance } from "../support/envelopes.ts";
import { type Agent, answer, closeAgents, eventsIn, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";

let floor: TestFloor;
let credentials: ReturnType<typeof createMemoryCredentials>;
let good: Agent;
let evil: Agent;
const name = "tag:bank.example,2026:teller";

const talks = (heard: Parameters<typeof eventsIn>[0], me: Agent) => {
  const isAsked = eventsIn(heard).some(({ eventType }) => eventType === "utterance");
  return answer(heard, me, ...(isAsked ? [utterance(me.speakerUri, `from ${me.url}`)] : []));
};

beforeEach(async () => {
  credentials = createMemoryCredentials();
  // Listens on loopback behind a proxy: a new address needs the owner's consent.
  floor = await startTestFloor({ credentials, proxies: 1 });
  good = await startAgent(talks, name);
  evil = await startAgent(talks, name);
});
afterEach(async () => {
  await floor.close();
  await closeAgents();
  expect(floor.errors).toEqual([]);
});

const everyone = async (conversation: string) => {
  const { conversants } = (await floor.call("GET", `/api/v1/conversations/${conversation}`)).body as {
    conversants: { identification: { speakerUri: string; serviceUrl: string } }[];
  };
  return conversants.map(({ identification }) => identification);
};

const seated = async (conversation: string) =>
  (await everyone(conversation)).filter(({ speakerUri }) => speakerUri === name);

const invite = (conversation: string, to: object) => floor.send(conversation, [{ eventType: "invite", to }]);

test("another address that answers under the name of a speaker who joined elsewhere does not join", async () => {
  await floor.invite("first", good);
  expect(await seated("first")).toMatchObject([{ serviceUrl: good.url }]);
  const answered = await invite("second", { serviceUrl: evil.url });
  expect(JSON.stringify(answered.body.consequences)).toContain("declineInvite");
  expect(await seated("second")).toEqual([]);
  const log = JSON.stringify(await floor.log("second"));
  expect(log).toContain("guard/bound-elsewhere");
  expect(log).toContain("rebind");
});

test("an invite that names the speaker with another address is refused at once, with the remedy", async () => {
  await floor.invite("first", good);
  const { body } = await invite("second", { speakerUri: name, serviceUrl: evil.url });
  expect(body.refused).toMatchObject([
    { because: "guard/bound-elsewhere", problem: expect.stringContaining("rebind") },
  ]);
  expect(evil.heard).toEqual([]);
});

test("the operator binds a speaker to its new address in one step, for every conversation", async () => {
  await floor.invite("first", good);
  await invite("second", { serviceUrl: evil.url });
  const rebind = { speakerUri: name, serviceUrl: evil.url };
  expect((await floor.call("POST", "/api/v1/conversations/second/rebind", rebind)).status).toBe(200);
  for (const conversation of ["second", "third"]) {
    await invite(conversation, rebind);
    expect(await seated(conversation)).toMatchObject([{ serviceUrl: evil.url }]);
  }
  const { body } = await invite("fourth", { speakerUri: name, serviceUrl: good.url });
  expect(body.refused).toMatchObject([{ because: "guard/bound-elsewhere" }]);
});

test("the same step moves a joined speaker to its new address, and later deliveries go there", async () => {
  await floor.invite("first", good);
  await floor.call("POST", "/api/v1/conversations/first/rebind", { speakerUri: name, serviceUrl: evil.url });
  const before = good.heard.length;
  await floor.say("first", "where are you?");
  expect(good.heard.length).toBe(before);
  expect(evil.heard.length).toBeGreaterThan(0);
});

test("a floor with the spec policy accepts an answer from any speaker", async () => {
  await floor.invite("first", good);
  await floor.call("POST", "/api/v1/conversations", {
    id: "second",
    policy: "spec",
    owner: { identification: { speakerUri: "tag:people.example,2026:ann" } },
  });
  await invite("second", { serviceUrl: evil.url });
  expect(await seated("second")).toMatchObject([{ serviceUrl: evil.url }]);
});

test("bindings are kept after a restart", async () => {
  const store = createMemoryStore();
  const once = await startTestFloor({ store, proxies: 1 });
  await once.invite("first", good);
  await once.close();
  await floor.close();
  good = await startAgent(talks, name);
  evil = await startAgent(talks, name);
  floor = await startTestFloor({ store, proxies: 1 });
  await invite("second", { serviceUrl: evil.url });
  expect(await seated("second")).toEqual([]);
});

const ben = "tag:people.example,2026:ben";

/** A key, as the operator makes it. Returns the headers that use it. */
async function keyOf(speakerUri: string, { isPerson }: { isPerson: boolean }) {
  const { id, hash, token } = newCredentialToken("key");
  const scopes = isPerson ? (["host"] as const) : [];
  const createdAt = new Date().toISOString();
  await credentials.add({ id, kind: "key", hash, speakers: [speakerUri], scopes, isPerson, createdAt });
  return { authorization: `Bearer ${token}` };
}

function letterFrom(speakerUri: string) {
  const events = [utterance(speakerUri, "hello from afar")];
  return { openFloor: { schema: { version: "1.1.0" }, conversation: { id: "far" }, sender: { speakerUri }, events } };
}

/** Ann with a key of her own, and a conversation that she owns. */
async function annOwns(conversation: string) {
  const headers = await keyOf(ann, { isPerson: true });
  const call = (verb: string, body: object) =>
    floor.call("POST", `/api/v1/conversations/${conversation}/${verb}`, body, headers);
  expect((await floor.call("POST", "/api/v1/conversations", { id: conversation }, headers)).status).toBe(201);
  return call;
}

test("an address that only resembles one of our relay addresses is treated like any other address", async () => {
  await floor.invite("first", good);
  const serviceUrl = relayUrlOf(`${evil.url}openfloor`, name);
  const { body } = await invite("second", { speakerUri: name, serviceUrl });
  expect(body.refused).toMatchObject([{ because: "guard/bound-elsewhere" }]);
  await invite("third", { serviceUrl });
  expect(await seated("third")).toEqual([]);
});

test("an agent that joined from a relay address of another floor is bound to it", async () => {
  await invite("first", { serviceUrl: relayUrlOf(`${good.url}openfloor`, name) });
  expect(await seated("first")).toHaveLength(1);
  await invite("second", { serviceUrl: evil.url });
  expect(await seated("second")).toEqual([]);
});

test.each(["tag:bank.example,2026:Teller", "tag:bank.example,2026:teller/", "TAG:BANK.example,2026:teller"])(
  "%s is bound with the name that differs from it in case and a slash only",
  async (like) => {
    await floor.invite("first", good);
    const twin = await startAgent(talks, like);
    await invite("second", { serviceUrl: twin.url });
    expect(await everyone("second")).toMatchObject([{ speakerUri: ann }]);
    const { body } = await invite("third", { speakerUri: like, serviceUrl: twin.url });
    expect(body.refused).toMatchObject([{ because: "guard/bound-elsewhere" }]);
  },
);

test("a whisper reaches the conversant with exactly the name of its addressee, or none", async () => {
  await floor.invite("first", good);
  const to = { speakerUri: name.toUpperCase(), private: true };
  const { status, body } = await floor.send("first", [utterance(ann, "psst", { to })]);
  expect([status, body.because]).toEqual([422, "1.8/private-addressee"]);
  expect(good.heard.flatMap(textsIn)).toEqual([]);
});

test("no server can answer under the name of the owner of a conversation", async () => {
  await floor.say("first", "hello");
  const double = await startAgent(talks, ann);
  await floor.invite("second", double, { as: ben });
  expect(await everyone("second")).toMatchObject([{ speakerUri: ben }]);
  expect(JSON.stringify(await floor.log("second"))).toContain("guard/bound-elsewhere");
});

test("no server can answer under the name of a person who has a key and never joined", async () => {
  await keyOf(ben, { isPerson: true });
  for (const like of [ben, ben.toUpperCase()]) {
    const double = await startAgent(talks, like);
    await floor.invite(`with ${like}`, double);
    expect(await everyone(encodeURIComponent(`with ${like}`))).toMatchObject([{ speakerUri: ann }]);
  }
});

test("an agent that has a key and a server of its own is bound to it when it first joins", async () => {
  await keyOf(name, { isPerson: false });
  await floor.invite("first", good);
  expect(await seated("first")).toMatchObject([{ serviceUrl: good.url }]);
  await floor.invite("second", evil);
  expect(await seated("second")).toEqual([]);
});

test("an owner cannot seat an agent at an address, and the error says to invite it", async () => {
  const call = await annOwns("first");
  const identification = { speakerUri: name, serviceUrl: evil.url };
  const { status, body } = await call("seat", { identification, kind: "agent" });
  expect([status, body.because]).toEqual([422, "command/seat/elsewhere"]);
  expect(body.detail).toContain("invite");
  expect(await seated("first")).toEqual([]);
});

test("a seat by the owner binds the speaker to no address", async () => {
  const call = await annOwns("first");
  for (const kind of ["agent", "person"]) {
    expect((await call("seat", { identification: { speakerUri: name }, kind })).status).toBe(200);
    expect((await call("remove", { speakerUri: name })).status).toBe(200);
  }
  await floor.invite("second", good);
  expect(await seated("second")).toMatchObject([{ serviceUrl: good.url }]);
});

test("a seat by the operator binds the speaker to its address", async () => {
  await floor.say("first", "hello");
  const identification = { speakerUri: name, serviceUrl: good.url };
  const seat = { identification, kind: "agent" };
  expect((await floor.call("POST", "/api/v1/conversations/first/seat", seat)).status).toBe(200);
  await floor.invite("second", evil);
  expect(await seated("second")).toEqual([]);
  await floor.invite("third", good);
  expect(await seated("third")).toMatchObject([{ serviceUrl: good.url }]);
});

test("an owner cannot move a joined speaker: it removes it, approves the address and invites it again", async () => {
  const call = await annOwns("first");
  await floor.invite("first", good);
  const moved = { speakerUri: name, serviceUrl: evil.url };
  const { status, body } = await call("rebind", moved);
  expect([status, body.because]).toEqual([409, "command/rebind/joined"]);
  const whisper = utterance(ann, "psst", { to: { speakerUri: name, private: true } });
  await floor.send("first", [whisper]);
  expect(evil.heard).toEqual([]);
  expect((await call("remove", { speakerUri: name })).status).toBe(200);
  expect((await call("rebind", moved)).status).toBe(200);
  await invite("first", moved);
  expect(await seated("first")).toMatchObject([{ serviceUrl: evil.url }]);
});

test("an agent that an owner seats as a person stays an agent for the relay", async () => {
  const call = await annOwns("first");
  expect((await call("seat", { identification: { speakerUri: name }, kind: "person" })).status).toBe(200);
  await floor.say("second", "hello");
  const seat = { identification: { speakerUri: name }, kind: "agent" };
  expect((await floor.call("POST", "/api/v1/conversations/second/seat", seat)).status).toBe(200);
  const greeting = await floor.call("POST", relayUrlOf("/openfloor", name), letterFrom("tag:far.example,2026:1"));
  expect(greeting.status).toBe(503);
});

test("a person who has a key is seated as a person by each invite", async () => {
  await keyOf(ben, { isPerson: true });
  await invite("first", { speakerUri: ben, serviceUrl: relayUrlOf(`${floor.url}/openfloor`, ben) });
  const { conversants } = await floor.state("first");
  expect(conversants).toMatchObject([{ state: "joined" }, { identification: { speakerUri: ben }, state: "joined" }]);
});
