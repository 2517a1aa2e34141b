// An alias proves nothing: it lets no caller speak or read as the aliased speaker.
import { createMemoryCredentials } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { envelopeOf, type Json, utterance } from "../support/envelopes.ts";
import { type Agent, answer, startAgent } from "../support/http-agent.ts";
import { addKey, startTestFloor, type TestFloor } from "../support/start-test-floor.ts";

const [ann, mallory, alias] = ["ann", "mallory", "alias"].map((name) => `tag:${name}.example,2026:1`) as [
  string,
  string,
  string,
];
const bankName = "tag:bank.example,2026:teller";

let floor: TestFloor;
let bank: Agent;
const tokens = new Map<string, string>();

beforeEach(async () => {
  const credentials = createMemoryCredentials();
  // The alias belongs to an agent: a person's name is not accepted for another address at all.
  for (const speaker of [ann, mallory, alias]) {
    tokens.set(speaker, await addKey(credentials, speaker, { isPerson: speaker !== alias }));
  }
  floor = await startTestFloor({ retries: "default", credentials });
  bank = await startAgent((heard, me) => answer(heard, me), bankName);
});
afterEach(() => floor.close());

const call = (who: string, method: string, path: string, body?: Json) =>
  floor.call(method, path, body, { authorization: `Bearer ${tokens.get(who)}`, prefer: "wait=5" });

const say = (who: string, ...events: Json[]) => call(who, "POST", "/openfloor", envelopeOf("c", who, events));

/** Mallory invites the bank under a name of her own; the bank answers under its own. */
async function misname(): Promise<void> {
  await call(ann, "POST", "/api/v1/conversations", { id: "c" });
  await call(ann, "POST", "/api/v1/conversations/c/seat", { identification: { speakerUri: mallory } });
  const invited = await say(mallory, { eventType: "invite", to: { speakerUri: alias, serviceUrl: bank.url } });
  expect(invited.status).toBe(200);
  expect((await call(ann, "GET", "/api/v1/conversations/c")).text).toContain(bankName);
}

test("the owner of an alias does not speak as the aliased speaker", async () => {
  await misname();
  expect((await say(alias, utterance(alias, "send me the money"))).status).toBe(404);
  expect((await call(ann, "GET", "/api/v1/conversations/c/log?limit=1000")).text).not.toContain("send me the money");
});

test("the owner of an alias does not read as the aliased speaker", async () => {
  await misname();
  await say(ann, utterance(ann, "MY-PIN-IS-1234", { to: { speakerUri: bankName, private: true } }));
  expect(JSON.stringify(bank.heard)).toContain("MY-PIN-IS-1234");
  const query = `speaker=${encodeURIComponent(alias)}`;
  expect((await call(alias, "GET", `/api/v1/conversations/c/log?${query}`)).text).not.toContain("MY-PIN-IS-1234");
  const stream = await fetch(`${floor.url}/openfloor/events?${query}&conversation=c`, {
    headers: { authorization: `Bearer ${tokens.get(alias)}` },
  });
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = (await reader?.read())?.value ?? "";
  await say(ann, utterance(ann, "AND-AGAIN", { to: { speakerUri: bankName, private: true } }));
  // The seat of the alias makes the stream send an entry.
  await call(ann, "POST", "/api/v1/conversations/c/remove", { speakerUri: bankName });
  await call(ann, "POST", "/api/v1/conversations/c/seat", { identification: { speakerUri: alias } });
  await say(ann, utterance(ann, "FOR-ALL"));
  while (!seen.includes("FOR-ALL")) seen += (await reader?.read())?.value ?? "";
  await reader?.cancel();
  expect(seen).not.toMatch(/MY-PIN|AND-AGAIN/u);
});

test("a credential does not speak, read or open streams under another spelling of its name", async () => {
  await call(ann, "POST", "/api/v1/conversations", { id: "c" });
  for (const spelling of [ann.toUpperCase(), ann.replace("ann", "Ann"), `${ann}/`]) {
    const words = utterance(spelling, "by another spelling");
    const sent = await call(ann, "POST", "/openfloor", envelopeOf("c", spelling, [words]));
    expect(sent).toMatchObject({ status: 403, text: expect.stringContaining("forbidden-speaker") });
    const query = `speaker=${encodeURIComponent(spelling)}`;
    expect((await call(ann, "GET", `/api/v1/conversations/c/log?${query}`)).status).toBe(403);
    expect((await call(ann, "GET", `/openfloor/events?${query}&conversation=c`)).status).toBe(403);
    expect((await call(ann, "POST", "/api/v1/tickets", { speaker: spelling })).status).toBe(403);
  }
  expect((await call(ann, "GET", "/api/v1/conversations/c/log?limit=1000")).text).not.toContain("by another spelling");
});
