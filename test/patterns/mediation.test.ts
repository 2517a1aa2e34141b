import { declineInvite } from "@plenary/protocol";
import {
  connect,
  createAgent,
  createMediator,
  findSubFloors,
  type MediatorInput,
  openSubFloor,
  resumeSubFloor,
  type UtteranceInput,
} from "@plenary/sdk";
import { afterEach, expect, test } from "vitest";
import { ann, said, utterance } from "../support/envelopes.ts";
import { answer, startAgent, textsIn } from "../support/http-agent.ts";
import { patience } from "../support/wait-for.ts";
import {
  closeFloorsAndAgents,
  manifestOf,
  type SdkAgentsFloor,
  serve,
  speakerOf,
  startSdkAgentsFloor,
} from "./sdk-agents-floor.ts";

afterEach(closeFloorsAndAgents);

const bob = "tag:people.example,2026:bob";

const expert = (name: string, onUtterance: (heard: UtteranceInput<unknown>) => string) =>
  serve(createAgent({ manifest: manifestOf(name), greeting: false, onUtterance }));

type Mediating = (heard: MediatorInput<unknown>) => string | Promise<string>;

async function mediator(testFloor: SdkAgentsFloor, name: string, onUtterance: Mediating, more: object = {}) {
  const floor = { url: testFloor.url, token: await testFloor.keyFor(speakerOf(name), true) };
  return serve(createMediator({ manifest: manifestOf(name), greeting: false, floor, onUtterance, ...more }));
}

async function subFloorsOf(testFloor: SdkAgentsFloor, parent: string) {
  const { body } = await testFloor.call("GET", `/api/v1/conversations?parent=${encodeURIComponent(parent)}`);
  return body.conversations as { id: string; isClosed: boolean; title?: string; parent: string }[];
}

test("a mediator answers with an utterance of its own, and the sub-floor stays hidden", async () => {
  const testFloor = await startSdkAgentsFloor();
  const [tables, taste] = await Promise.all([
    expert("tables", ({ text }) => (text.includes("tables") ? "free at eight" : "free at nine")),
    expert("taste", () => "they like it late"),
  ]);
  const url = await mediator(testFloor, "concierge", async ({ text, subFloor }) => {
    const behind = await subFloor({ title: "dinner", invite: [tables, taste] });
    const answers = await behind.ask(`tables for: ${text}`);
    await behind.close();
    const words = answers.map((one) => one.text);
    return words.toSorted().join(" and ");
  });
  const id = await testFloor.open("c", url);
  expect(said(await testFloor.say(id, "dinner for two"))).toEqual([
    [speakerOf("concierge"), "free at eight and they like it late"],
  ]);
  const [found, another] = await subFloorsOf(testFloor, id);
  expect(another).toBeUndefined();
  expect(found).toMatchObject({ parent: id, title: "dinner", isClosed: true });
  const sub = found?.id ?? "";
  expect(await testFloor.transcript(sub, speakerOf("concierge"))).toContain("concierge: tables for: dinner for two");
  const key = await testFloor.keyFor(ann, true, true);
  const asAnn = { authorization: `Bearer ${key}` };
  expect((await testFloor.call("GET", `/api/v1/conversations/${sub}`, undefined, asAnn)).status).toBe(404);
  const { body } = await testFloor.call("GET", `/api/v1/conversations?parent=${id}`, undefined, asAnn);
  expect(body.conversations).toEqual([]);
  expect(JSON.stringify(await testFloor.log(id))).not.toMatch(/tables for/u);
});

test("a token without the host scope and an unknown token are refused with a hint", async () => {
  const testFloor = await startSdkAgentsFloor();
  const as = speakerOf("concierge");
  const asked = { floor: testFloor.url, as, parent: "c" };
  await expect(openSubFloor({ ...asked, token: await testFloor.keyFor(as, false) })).rejects.toMatchObject({
    code: "may-not-host",
    message: expect.stringContaining(`plenary keys add --host --speaker ${as}`),
  });
  // D26: an envelope of an agent for an unknown conversation opens none.
  const openFloor = {
    schema: { version: "1.1.0" },
    conversation: { id: "unknown" },
    sender: { speakerUri: as },
    events: [],
  };
  const authorization = `Bearer ${await testFloor.keyFor(as, true)}`;
  expect((await testFloor.call("POST", "/openfloor", { openFloor }, { authorization })).status).toBe(404);
  await expect(openSubFloor({ ...asked, token: "nobody" })).rejects.toMatchObject({ code: "unauthorised" });
  const unreachable = { ...asked, floor: "http://127.0.0.1:9", token: "x" };
  await expect(openSubFloor(unreachable)).rejects.toMatchObject({ code: "unreachable" });
});

test("mediators mediate in sub-floors of sub-floors, and one may delegate there", async () => {
  const testFloor = await startSdkAgentsFloor();
  const sage = await expert("sage", ({ text }) => `sage on ${text}`);
  const desk = await serve(
    createAgent({
      manifest: manifestOf("desk"),
      greeting: false,
      onUtterance: ({ delegate }) => delegate({ to: { serviceUrl: sage }, say: "The sage knows.", afterwards: "bye" }),
    }),
  );
  const inner = await mediator(testFloor, "inner", async ({ text, subFloor }) => {
    const behind = await subFloor({ invite: [desk] });
    const answers = await behind.ask(`inner asks ${text}`);
    return answers.map(({ text: words }) => words).join(" / ");
  });
  const outer = await mediator(testFloor, "outer", async ({ text, subFloor }) => {
    const behind = await subFloor({ invite: [inner] });
    const [first] = await behind.ask(`outer asks ${text}`);
    return `I found out: ${first?.text}`;
  });
  const id = await testFloor.open("c", outer);
  expect(said(await testFloor.say(id, "why?"))).toEqual([
    [speakerOf("outer"), "I found out: The sage knows. / sage on inner asks outer asks why?"],
  ]);
  const [sub] = await subFloorsOf(testFloor, id);
  const [deeper] = await subFloorsOf(testFloor, sub?.id ?? "");
  expect(await testFloor.transcript(deeper?.id ?? "")).toContain("desk bye");
  await testFloor.send(id, [{ eventType: "uninvite", to: { speakerUri: speakerOf("outer") } }]);
  // A mediator that is uninvited closes its sub-floor, which uninvites the next mediator.
  await expect
    .poll(async () => (await subFloorsOf(testFloor, sub?.id ?? "")).map(({ isClosed }) => isClosed), patience)
    .toEqual([true]);
});

test("public utterances share a sub-floor; a whisper has its own sub-floor, which ends with its answer", async () => {
  const testFloor = await startSdkAgentsFloor();
  const parrot = await startAgent((heard, agent) =>
    answer(heard, agent, ...textsIn(heard).map((text) => utterance(agent.speakerUri, `parrot ${text}`))),
  );
  const url = await mediator(testFloor, "concierge", async ({ text, subFloor }) => {
    const behind = await subFloor({ invite: [parrot.url] });
    const [first] = await behind.ask(text);
    return `I heard: ${first?.text}`;
  });
  const id = await testFloor.open("c", url);
  await testFloor.call("POST", `/api/v1/conversations/${id}/seat`, {
    identification: { speakerUri: bob },
    kind: "person",
  });
  await testFloor.say(id, "one");
  await testFloor.say(id, "two");
  const whispered = await testFloor.whisper(id, "canary", speakerOf("concierge"));
  expect(said(whispered)).toEqual([[speakerOf("concierge"), "I heard: parrot canary"]]);
  await testFloor.say(id, "three");
  const found = await subFloorsOf(testFloor, id);
  const heardIn = await Promise.all(
    found.map(async (one) => [one.isClosed, (await testFloor.transcript(one.id)).length] as const),
  );
  expect(heardIn.toSorted((one, other) => other[1] - one[1]).map(([isClosed]) => isClosed)).toEqual([false, true]);
  expect(JSON.stringify(await testFloor.log(id, bob))).not.toContain("canary");
  const [shared] = found.filter(({ isClosed }) => !isClosed);
  expect(JSON.stringify(await testFloor.log(shared?.id ?? ""))).not.toContain("canary");
});

test("a mediator that restarts finds its sub-floor by the conversation that it serves, and continues there", async () => {
  const testFloor = await startSdkAgentsFloor();
  const heard: string[] = [];
  const sage = await expert("sage", ({ text }) => {
    heard.push(text);
    return `sage ${heard.length}`;
  });
  let isDying = true;
  const mediating: Mediating = async ({ text, subFloor }) => {
    const behind = await subFloor({ title: "enquiry", invite: [sage] });
    const before = await behind.events();
    const [first] = await behind.ask(text);
    if (isDying) throw new Error("the process is gone");
    return `${first?.text} after ${before.filter(({ event }) => event.eventType === "utterance").length} utterances`;
  };
  const token = await testFloor.keyFor(speakerOf("concierge"), true);
  const options = { manifest: manifestOf("concierge"), greeting: false as const, floor: { url: testFloor.url, token } };
  const dead = createMediator({ ...options, onUtterance: mediating, onError: () => {} });
  const reborn = createMediator({ ...options, onUtterance: mediating });
  const current = { agent: dead };
  const url = await serve({ manifest: dead.manifest, fetch: (request, at) => current.agent.fetch(request, at) });
  const id = await testFloor.open("c", url);
  expect(said(await testFloor.say(id, "first"))).toEqual([]);
  [current.agent, isDying] = [reborn, false];
  expect(said(await testFloor.say(id, "second"))).toEqual([[speakerOf("concierge"), "sage 2 after 2 utterances"]]);
  const found = await findSubFloors({ floor: testFloor.url, token, as: speakerOf("concierge"), parent: id });
  expect(found).toMatchObject([{ title: "enquiry", isClosed: false }]);
  const again = resumeSubFloor({ floor: testFloor.url, token, as: speakerOf("concierge"), id: found[0]?.id ?? "" });
  expect(await again.conversants()).toMatchObject([{ speakerUri: speakerOf("sage"), hasJoined: true }]);
  await again.close("done");
  await again.close();
  await expect(
    resumeSubFloor({ floor: testFloor.url, token, as: speakerOf("concierge"), id: again.id }).ask("x"),
  ).rejects.toMatchObject({ code: "closed" });
});

test("an agent that does not join is named with the reason, and one agent may be asked in private", async () => {
  const testFloor = await startSdkAgentsFloor();
  const shy = await serve(
    createAgent({
      manifest: manifestOf("shy"),
      onInvite: () => declineInvite({ reason: "@unavailable: asleep" }),
      onUtterance: () => "",
    }),
  );
  const [one, other] = await Promise.all([
    expert("one", ({ text }) => `1 ${text}`),
    expert("other", ({ text }) => `2 ${text}`),
  ]);
  const as = speakerOf("concierge");
  const access = { floor: testFloor.url, token: await testFloor.keyFor(as, true), as, parent: "elsewhere" };
  const behind = await openSubFloor({ ...access, invite: [shy, one, { serviceUrl: other }] });
  expect(behind.invited).toMatchObject([
    { serviceUrl: shy, hasJoined: false, reason: "@unavailable: asleep" },
    { hasJoined: true, speakerUri: speakerOf("one") },
    { hasJoined: true, speakerUri: speakerOf("other") },
  ]);
  const answers = await behind.ask("psst", { to: speakerOf("one"), isPrivate: true });
  expect(answers).toMatchObject([{ speakerUri: speakerOf("one"), text: "1 psst", isPrivate: true }]);
  await expect(behind.ask("psst", { to: "tag:nobody.example,2026:1", isPrivate: true })).rejects.toMatchObject({
    code: "refused",
  });
  await behind.close();
});

test("the agents of a new sub-floor are invited concurrently, so the slowest delays no other", async () => {
  const testFloor = await startSdkAgentsFloor();
  let comeIn = () => {};
  const areBothAsked = new Promise<void>((resolve) => {
    comeIn = resolve;
  });
  const asked = new Set<string>();
  const hesitant = (name: string) =>
    startAgent(async (heard, agent) => {
      if (asked.add(name).size === 2) comeIn();
      await areBothAsked;
      return answer(heard, agent);
    });
  const [one, other] = [await hesitant("one"), await hesitant("other")];
  const as = speakerOf("concierge");
  const access = { floor: testFloor.url, token: await testFloor.keyFor(as, true), as, parent: "elsewhere" };
  const { invited, close } = await openSubFloor({ ...access, invite: [one.url, other.url] });
  expect(invited).toMatchObject([one, other].map(({ speakerUri }) => ({ speakerUri, hasJoined: true })));
  await close();
});

test("mediators that ask each other repeatedly are stopped", async () => {
  const testFloor = await startSdkAgentsFloor();
  const asked: string[] = [];
  const errors: unknown[] = [];
  const urls: Record<string, string> = {};
  const asking = (name: string, other: string) =>
    mediator(
      testFloor,
      name,
      async ({ text, subFloor }) => {
        asked.push(text);
        const behind = await subFloor({ invite: [urls[other] ?? ""] });
        const [first] = await behind.ask(`${text}.`);
        return first?.text ?? "nobody answered";
      },
      { onError: (error: unknown) => errors.push(error) },
    );
  for (const [name, other] of [
    ["echo", "narcissus"],
    ["narcissus", "echo"],
  ] as const)
    urls[name] = await asking(name, other);
  const id = await testFloor.open("c", urls.echo ?? "");
  await testFloor.say(id, "me", { wait: 60 });
  expect(asked.length).toBeGreaterThan(8);
  expect(asked.length).toBeLessThan(20);
  expect(errors).toMatchObject([{ code: "too-deep" }]);
});

test("depth and trace of a turn are also sent over a socket", async () => {
  const testFloor = await startSdkAgentsFloor();
  const baggages: (string | undefined)[] = [];
  const traces: (string | undefined)[] = [];
  const agent = createAgent({
    manifest: manifestOf("caller"),
    greeting: false,
    onUtterance({ baggage, traceparent }) {
      baggages.push(baggage);
      traces.push(traceparent);
      return "heard";
    },
  });
  const token = await testFloor.keyFor(speakerOf("caller"), false);
  const connection = await connect(agent, { url: testFloor.url, token });
  try {
    const id = await testFloor.open("c", connection.serviceUrl);
    await testFloor.say(id, "hello");
    expect(baggages).toEqual([expect.stringMatching(/^plenary\.depth=1,plenary\.floors=tag/u)]);
    const trace = (await testFloor.log(id)).findLast(({ kind }) => kind === "received")?.trace;
    expect(traces).toEqual([expect.stringMatching(new RegExp(`^00-${trace}-[\\da-f]{16}-01$`, "u"))]);
  } finally {
    await connection.close();
  }
});
