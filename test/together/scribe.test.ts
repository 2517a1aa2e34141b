// The scribe on a floor that hosts it: its questions, its visibility rules, and its memory after a restart.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentNamed, agentNames } from "@plenary/agents";
import { createMemoryStore, createSqliteStore, type FloorStore } from "@plenary/server";
import { afterEach, expect, test } from "vitest";
import { envelopeOf, type Json, utterance } from "../support/envelopes.ts";
import { noDialler, startTestFloor } from "../support/start-test-floor.ts";

const people = {
  Ann: "tag:office.example,2026:ann",
  Bob: "tag:office.example,2026:bob",
  Cid: "tag:office.example,2026:cid",
};
type Name = keyof typeof people;
type Addressee = { to: Name | "Scribe"; whisper?: boolean };

const conversation = "office";
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type ScribeFloor = Awaited<ReturnType<typeof startScribeFloor>>;

async function startScribeFloor({ store = createMemoryStore(), port = 0 }: { store?: FloorStore; port?: number } = {}) {
  const floor = await startTestFloor({
    retries: "default",
    store,
    port,
    dialler: noDialler,
    hostedAgents: { names: agentNames, create: (name, serviceUrl, host) => agentNamed(name, { serviceUrl, ...host }) },
  });
  const { url, port: taken } = floor;
  const close = async () => {
    await floor.close();
    expect(floor.errors).toEqual([]);
  };
  const call = (path: string, body?: Json) =>
    floor.must(body === undefined ? "GET" : "POST", path, body, { prefer: "wait=20" });
  const uriOf = (name: string) =>
    name in people ? people[name as Name] : `tag:127.0.0.1,2025:${taken}:${name.toLowerCase()}`;
  const send = async (as: Name, events: readonly Json[]): Promise<Json[]> => {
    const answered = await call("/openfloor", envelopeOf(conversation, people[as], events));
    const consequences: { openFloor: { sender: Json; events: Json[] } }[] = answered.consequences ?? [];
    return consequences
      .filter(({ openFloor }) => openFloor.sender.speakerUri === uriOf("Scribe"))
      .flatMap(({ openFloor }) => openFloor.events);
  };
  /** What the scribe answers, all of it. */
  const ask = (as: Name, text: string, addressee?: Addressee) => {
    const to = addressee && { speakerUri: uriOf(addressee.to), ...(addressee.whisper === true && { private: true }) };
    return send(as, [utterance(people[as], text, { to, id: crypto.randomUUID() })]);
  };
  const at = `/api/v1/conversations/${conversation}`;
  return {
    url,
    port: taken,
    close,
    call,
    send,
    ask,
    uriOf,
    /** Its words. */
    say: async (as: Name, text: string, addressee?: Addressee) => (await ask(as, text, addressee)).flatMap(wordsOf),
    seat: (name: Name) => {
      const identification = { speakerUri: people[name], conversationalName: name };
      return call(`${at}/seat`, { identification, kind: "person" });
    },
    open: async () => {
      const identification = { speakerUri: people.Ann, conversationalName: "Ann" };
      await call("/api/v1/conversations", { id: conversation, owner: { identification } });
    },
    invite: (as: Name, name: string, parameters: Json = {}) =>
      send(as, [{ eventType: "invite", to: { serviceUrl: `${url}/agents/${name}` }, parameters }]),
    log: async (): Promise<Json[]> =>
      (await call(`${at}/log?limit=1000&speaker=${encodeURIComponent(people.Ann)}`)).entries,
    erase: (seq: number) => call(`${at}/erase`, { seq }),
  };
}

function wordsOf(event: Json): string[] {
  const { dialogEvent } = (event.parameters ?? {}) as { dialogEvent?: { features: { text: { tokens: Json[] } } } };
  return dialogEvent === undefined ? [] : [dialogEvent.features.text.tokens.map(({ value }) => value).join("")];
}

async function openWith(...names: string[]): Promise<ScribeFloor> {
  const office = await startScribeFloor();
  closing.push(office.close);
  await office.open();
  await office.seat("Bob");
  for (const name of names) await office.invite("Ann", name);
  return office;
}

test("the scribe speaks when it is addressed or when only it can answer, and is silent otherwise", async () => {
  const office = await openWith("echo");
  expect((await office.invite("Ann", "scribe")).flatMap(wordsOf)).toEqual([
    expect.stringMatching(/^Hello, I am \*\*Scribe/),
  ]);
  expect(await office.say("Ann", "Shall we have lunch at noon?")).toEqual([]);
  expect(await office.say("Bob", "Yes, lunch at noon is fine, let's meet at the gate.")).toEqual([]);
  expect(await office.say("Ann", "summarise", { to: "Bob" })).toEqual([]);
  expect(await office.say("Ann", "What did Bob say about lunch?")).toEqual([
    expect.stringMatching(
      /^\*\*Bob about lunch\*\* \(1 utterance, UTC\):\n- \*\*Bob\*\* \(.*\): "Yes, lunch at noon is fine/,
    ),
  ]);
  expect(await office.say("Bob", "Scribe, what did we decide?")).toEqual([
    expect.stringMatching(/^\*\*Decisions and tasks.*\n- \*\*Bob\*\* \(.*let's meet at the gate/),
  ]);
  expect(await office.say("Bob", "make me a sandwich", { to: "Scribe" })).toEqual([
    expect.stringMatching(/^I keep the record\. Ask me: /),
  ]);
  expect(await office.say("Bob", "make me a sandwich")).toEqual([]);
});

test("the scribe serves as archivist, and in no other role", async () => {
  const office = await openWith();
  const [declined] = await office.invite("Ann", "scribe", { expectedFloorRoles: ["archivist", "convener"] });
  expect(declined).toMatchObject({ eventType: "declineInvite", reason: expect.stringContaining("@roleRejected") });
  const [accepted] = await office.invite("Ann", "scribe", { expectedFloorRoles: ["archivist"] });
  expect(accepted).toMatchObject({ eventType: "acceptInvite" });
  const { agents } = await office.call("/api/v1/agents");
  const known = agents.find(({ serviceUrl }: Json) => serviceUrl === `${office.url}/agents/scribe`);
  expect(known.manifest.identification.openFloorRoles).toEqual({ archivist: true });
});

/** Between Ann and Bob; to the scribe; to everyone before Cid joined; after. */
const [between, secret, early, late] = ["foxglove", "otterwhisker", "heronfeather", "toadstool"];

const questions = [
  ...["summarise", "who said what?", "what did Ann say about lunch?", "who mentioned lunch?", "open questions"],
  ...["what was the last thing Ann said?", "decisions", "who was here?"],
  ...["export", "export as mermaid", "export as jsonl", "export as html"],
];

async function canariesFor(office: ScribeFloor, asker: Name, whisper: boolean): Promise<string[]> {
  const answers = [];
  for (const question of questions) answers.push(await office.ask(asker, question, { to: "Scribe", whisper }));
  expect(answers.filter(({ length }) => length === 0)).toEqual([]);
  const everything = JSON.stringify(answers);
  return [between, secret, early, late].filter((canary) => everything.includes(canary));
}

async function talk(office: ScribeFloor): Promise<void> {
  await office.say("Ann", `We will have lunch at the lake, near the ${early}. Who brings the lunch?`);
  await office.say("Ann", `Let's have lunch without Cid. Will ${between} come to lunch?`, { to: "Bob", whisper: true });
  await office.say("Ann", `Note that ${secret} will pay for lunch.`, { to: "Scribe", whisper: true });
  await office.seat("Cid");
  await office.say("Bob", `Lunch will be ${late} soup, says Ann.`);
}

test("the scribe gives no reader what that reader may not see, in any wording", async () => {
  const office = await openWith("scribe");
  await talk(office);
  expect(await canariesFor(office, "Cid", true)).toEqual([late]);
  expect(await canariesFor(office, "Bob", true)).toEqual([early, late]);
  expect(await canariesFor(office, "Ann", true)).toEqual([secret, early, late]);
  for (const asker of ["Ann", "Bob", "Cid"] as const) expect(await canariesFor(office, asker, false)).toEqual([late]);
  await office.send("Cid", [{ eventType: "bye" }]);
  expect(await canariesFor(office, "Bob", false)).toEqual([early, late]);
});

test("a request from outside the floor gets nothing of the floor's log, under any name", async () => {
  const office = await openWith("scribe");
  await talk(office);
  for (const question of questions) {
    const forged = envelopeOf(conversation, people.Ann, [
      utterance(people.Ann, question, { to: { speakerUri: office.uriOf("Scribe"), private: true } }),
    ]);
    const body = JSON.stringify(forged);
    const response = await fetch(`${office.url}/agents/scribe`, { method: "POST", body });
    expect(response.status).toBe(200);
    expect(await response.text()).not.toMatch(new RegExp([between, secret, early, late].join("|"), "u"));
  }
  // An uninvite from there has no effect either.
  const uninvite = { eventType: "uninvite", to: { speakerUri: office.uriOf("Scribe") } };
  const body = JSON.stringify(envelopeOf(conversation, people.Ann, [uninvite]));
  expect((await fetch(`${office.url}/agents/scribe`, { method: "POST", body })).status).toBe(200);
  expect(await office.say("Bob", "Scribe, what was said last?")).toEqual([expect.stringContaining(late)]);
});

test("the scribe does not know erased entries", async () => {
  const office = await openWith("scribe");
  await office.say("Ann", "The door code is 4711.");
  await office.say("Ann", "Lunch is at noon.");
  expect(await office.say("Bob", "Scribe, who said what?")).toEqual([expect.stringContaining("4711")]);
  const said = (await office.log()).filter(
    ({ kind, event }) => kind === "event" && JSON.stringify(event).includes("4711"),
  );
  for (const { seq } of said) await office.erase(Number(seq));
  const [answer] = await office.say("Bob", "Scribe, who said what?");
  expect(answer).toContain("Lunch is at noon.");
  expect(answer).not.toMatch(/4711|erased/u);
});

test("after a restart of the floor the scribe still answers about earlier utterances, to each by its visibility", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plenary-scribe-"));
  closing.push(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "floor.db");
  const before = await startScribeFloor({ store: createSqliteStore(path) });
  await before.open();
  await before.seat("Bob");
  await before.invite("Ann", "scribe");
  await talk(before);
  await before.close();

  const office = await startScribeFloor({ store: createSqliteStore(path), port: before.port });
  closing.push(office.close);
  expect(await office.say("Bob", "what did Ann say about lunch?", { to: "Scribe", whisper: true })).toEqual([
    expect.stringMatching(/^\*\*Ann about lunch\*\* \(1 utterance, UTC\):\n- \*\*Ann\*\* \(.*heronfeather/),
  ]);
  expect(await office.say("Ann", "when did Cid join?", { to: "Scribe", whisper: true })).toEqual([
    expect.stringMatching(/^Cid joined at .*\d\d:\d\d UTC\.$/),
  ]);
  expect(await canariesFor(office, "Cid", true)).toEqual([late]);
  expect(await canariesFor(office, "Ann", true)).toEqual([secret, early, late]);
});
