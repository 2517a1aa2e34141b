import { declineInvite } from "@plenary/protocol";
import {
  connect,
  createAgent,
  createMediator,
  findSubFloors,
  type HeardByMediator,
  type HeardUtterance,
  openSubFloor,
  resumeSubFloor,
} from "@plenary/sdk";
import { afterEach, expect, test } from "vitest";
import { answer, startAgent, textsIn, utterance } from "../floor/agents.ts";
import { ann, patience, said } from "../floor/world.ts";
import { closeStages, manifestOf, openStage, type Stage, serve, speakerOf } from "./stage.ts";

afterEach(closeStages);

const bob = "tag:people.example,2026:bob";

const expert = (name: string, onUtterance: (heard: HeardUtterance<unknown>) => string) =>
  serve(createAgent({ manifest: manifestOf(name), greeting: false, onUtterance }));

type Mediating = (heard: HeardByMediator<unknown>) => string | Promise<string>;

async function mediator(stage: Stage, name: string, onUtterance: Mediating, more: object = {}) {
  const floor = { url: stage.url, token: await stage.keyFor(speakerOf(name), true) };
  return serve(createMediator({ manifest: manifestOf(name), greeting: false, floor, onUtterance, ...more }));
}

async function subFloorsOf(stage: Stage, parent: string) {
  const { body } = await stage.call("GET", `/api/v1/conversations?parent=${encodeURIComponent(parent)}`);
  return body.conversations as { id: string; isClosed: boolean; title?: string; parent: string }[];
}

test("a mediator comes back with words of its own, and nobody else learns of the conversation behind them", async () => {
  const stage = await openStage();
  const [tables, taste] = await Promise.all([
    expert("tables", ({ text }) => (text.includes("tables") ? "free at eight" : "free at nine")),
    expert("taste", () => "they like it late"),
  ]);
  const url = await mediator(stage, "concierge", async ({ text, subFloor }) => {
    const behind = await subFloor({ title: "dinner", invite: [tables, taste] });
    const answers = await behind.ask(`tables for: ${text}`);
    await behind.close();
    const words = answers.map((one) => one.text);
    return words.toSorted().join(" and ");
  });
  const id = await stage.open("c", url);
  expect(said(await stage.say(id, "dinner for two"))).toEqual([
    [speakerOf("concierge"), "free at eight and they like it late"],
  ]);
  const [found, another] = await subFloorsOf(stage, id);
  expect(another).toBeUndefined();
  expect(found).toMatchObject({ parent: id, title: "dinner", isClosed: true });
  const sub = found?.id ?? "";
  expect(await stage.told(sub, speakerOf("concierge"))).toContain("concierge: tables for: dinner for two");
  const key = await stage.keyFor(ann, true, true);
  const asAnn = { authorization: `Bearer ${key}` };
  expect((await stage.call("GET", `/api/v1/conversations/${sub}`, undefined, asAnn)).status).toBe(404);
  const { body } = await stage.call("GET", `/api/v1/conversations?parent=${id}`, undefined, asAnn);
  expect(body.conversations).toEqual([]);
  expect(JSON.stringify(await stage.log(id))).not.toMatch(/tables for/u);
});

test("who may not open conversations is told what to do about it, and an unknown token that it is none", async () => {
  const stage = await openStage();
  const as = speakerOf("concierge");
  const asked = { floor: stage.url, as, parent: "c" };
  await expect(openSubFloor({ ...asked, token: await stage.keyFor(as, false) })).rejects.toMatchObject({
    code: "may-not-host",
    message: expect.stringContaining(`plenary keys add --host --speaker ${as}`),
  });
  // D26: by name it may; an envelope for a conversation that nobody knows opens none for an agent.
  const openFloor = {
    schema: { version: "1.1.0" },
    conversation: { id: "unknown" },
    sender: { speakerUri: as },
    events: [],
  };
  const authorization = `Bearer ${await stage.keyFor(as, true)}`;
  expect((await stage.call("POST", "/openfloor", { openFloor }, { authorization })).status).toBe(404);
  await expect(openSubFloor({ ...asked, token: "nobody" })).rejects.toMatchObject({ code: "unauthorised" });
  const unreachable = { ...asked, floor: "http://127.0.0.1:9", token: "x" };
  await expect(openSubFloor(unreachable)).rejects.toMatchObject({ code: "unreachable" });
});

test("mediators mediate in sub-floors of sub-floors, and one may delegate there", async () => {
  const stage = await openStage();
  const sage = await expert("sage", ({ text }) => `sage on ${text}`);
  const desk = await serve(
    createAgent({
      manifest: manifestOf("desk"),
      greeting: false,
      onUtterance: ({ delegate }) => delegate({ to: { serviceUrl: sage }, say: "The sage knows.", afterwards: "bye" }),
    }),
  );
  const inner = await mediator(stage, "inner", async ({ text, subFloor }) => {
    const behind = await subFloor({ invite: [desk] });
    const answers = await behind.ask(`inner asks ${text}`);
    return answers.map(({ text: words }) => words).join(" / ");
  });
  const outer = await mediator(stage, "outer", async ({ text, subFloor }) => {
    const behind = await subFloor({ invite: [inner] });
    const [first] = await behind.ask(`outer asks ${text}`);
    return `I found out: ${first?.text}`;
  });
  const id = await stage.open("c", outer);
  expect(said(await stage.say(id, "why?"))).toEqual([
    [speakerOf("outer"), "I found out: The sage knows. / sage on inner asks outer asks why?"],
  ]);
  const [sub] = await subFloorsOf(stage, id);
  const [deeper] = await subFloorsOf(stage, sub?.id ?? "");
  expect(await stage.told(deeper?.id ?? "")).toContain("desk bye");
  await stage.send(id, [{ eventType: "uninvite", to: { speakerUri: speakerOf("outer") } }]);
  // Who is uninvited closes what it has opened, which uninvites the next one.
  await expect
    .poll(async () => (await subFloorsOf(stage, sub?.id ?? "")).map(({ isClosed }) => isClosed), patience)
    .toEqual([true]);
});

test("words to everyone share a sub-floor; a whisper has one of its own, which ends with its answer", async () => {
  const stage = await openStage();
  const parrot = await startAgent((heard, agent) =>
    answer(heard, agent, ...textsIn(heard).map((text) => utterance(agent.speakerUri, `parrot ${text}`))),
  );
  const url = await mediator(stage, "concierge", async ({ text, subFloor }) => {
    const behind = await subFloor({ invite: [parrot.url] });
    const [first] = await behind.ask(text);
    return `I heard: ${first?.text}`;
  });
  const id = await stage.open("c", url);
  await stage.call("POST", `/api/v1/conversations/${id}/seat`, { identification: { speakerUri: bob }, kind: "person" });
  await stage.say(id, "one");
  await stage.say(id, "two");
  const whispered = await stage.whisper(id, "canary", speakerOf("concierge"));
  expect(said(whispered)).toEqual([[speakerOf("concierge"), "I heard: parrot canary"]]);
  await stage.say(id, "three");
  const found = await subFloorsOf(stage, id);
  const heardIn = await Promise.all(
    found.map(async (one) => [one.isClosed, (await stage.told(one.id)).length] as const),
  );
  expect(heardIn.toSorted((one, other) => other[1] - one[1]).map(([isClosed]) => isClosed)).toEqual([false, true]);
  expect(JSON.stringify(await stage.log(id, bob))).not.toContain("canary");
  const [shared] = found.filter(({ isClosed }) => !isClosed);
  expect(JSON.stringify(await stage.log(shared?.id ?? ""))).not.toContain("canary");
});

test("a mediator that died in the middle finds its sub-floor again by what it served, and goes on there", async () => {
  const stage = await openStage();
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
  const token = await stage.keyFor(speakerOf("concierge"), true);
  const options = { manifest: manifestOf("concierge"), greeting: false as const, floor: { url: stage.url, token } };
  const dead = createMediator({ ...options, onUtterance: mediating, onError: () => {} });
  const reborn = createMediator({ ...options, onUtterance: mediating });
  const current = { agent: dead };
  const url = await serve({ manifest: dead.manifest, fetch: (request, at) => current.agent.fetch(request, at) });
  const id = await stage.open("c", url);
  expect(said(await stage.say(id, "first"))).toEqual([]);
  [current.agent, isDying] = [reborn, false];
  expect(said(await stage.say(id, "second"))).toEqual([[speakerOf("concierge"), "sage 2 after 2 utterances"]]);
  const found = await findSubFloors({ floor: stage.url, token, as: speakerOf("concierge"), parent: id });
  expect(found).toMatchObject([{ title: "enquiry", isClosed: false }]);
  const again = resumeSubFloor({ floor: stage.url, token, as: speakerOf("concierge"), id: found[0]?.id ?? "" });
  expect(await again.conversants()).toMatchObject([{ speakerUri: speakerOf("sage"), hasJoined: true }]);
  await again.close("done");
  await again.close();
  await expect(
    resumeSubFloor({ floor: stage.url, token, as: speakerOf("concierge"), id: again.id }).ask("x"),
  ).rejects.toMatchObject({ code: "closed" });
});

test("who does not come is named with the reason, and one may be asked in private", async () => {
  const stage = await openStage();
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
  const access = { floor: stage.url, token: await stage.keyFor(as, true), as, parent: "elsewhere" };
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

test("all whom a sub-floor is opened with are invited at once, so that nobody waits for the slowest", async () => {
  const stage = await openStage();
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
  const access = { floor: stage.url, token: await stage.keyFor(as, true), as, parent: "elsewhere" };
  const { invited, close } = await openSubFloor({ ...access, invite: [one.url, other.url] });
  expect(invited).toMatchObject([one, other].map(({ speakerUri }) => ({ speakerUri, hasJoined: true })));
  await close();
});

test("mediators that ask each other, again and again, come to an end", async () => {
  const stage = await openStage();
  const asked: string[] = [];
  const errors: unknown[] = [];
  const urls: Record<string, string> = {};
  const asking = (name: string, other: string) =>
    mediator(
      stage,
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
  const id = await stage.open("c", urls.echo ?? "");
  await stage.say(id, "me", { wait: 60 });
  expect(asked.length).toBeGreaterThan(8);
  expect(asked.length).toBeLessThan(20);
  expect(errors).toMatchObject([{ code: "too-deep" }]);
});

test("how far a turn has come, and its trace, are told over a socket, too", async () => {
  const stage = await openStage();
  const told: (string | undefined)[] = [];
  const traces: (string | undefined)[] = [];
  const agent = createAgent({
    manifest: manifestOf("caller"),
    greeting: false,
    onUtterance({ baggage, traceparent }) {
      told.push(baggage);
      traces.push(traceparent);
      return "heard";
    },
  });
  const token = await stage.keyFor(speakerOf("caller"), false);
  const connection = await connect(agent, { url: stage.url, token });
  try {
    const id = await stage.open("c", connection.serviceUrl);
    await stage.say(id, "hello");
    expect(told).toEqual([expect.stringMatching(/^plenary\.depth=1,plenary\.floors=tag/u)]);
    const trace = (await stage.log(id)).findLast(({ kind }) => kind === "received")?.trace;
    expect(traces).toEqual([expect.stringMatching(new RegExp(`^00-${trace}-[\\da-f]{16}-01$`, "u"))]);
  } finally {
    await connection.close();
  }
});
