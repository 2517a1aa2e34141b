// What the client does at a real floor, without faults.
import { createHostClient, FloorProblem, type SpokenLine } from "@plenary/client";
import { createMemoryCredentials } from "@plenary/server";
import { expect, onTestFinished, test } from "vitest";
import { ann, bob } from "../support/envelopes.ts";
import { addKey, token } from "../support/start-test-floor.ts";
import { waitFor } from "../support/wait-for.ts";
import { transports, useClientFloor } from "./client-floor.ts";

const { start, connect } = useClientFloor();

/** Reads until a line satisfies the test. */
async function until(lines: AsyncIterable<SpokenLine>, isLast: (line: SpokenLine) => boolean): Promise<string[]> {
  const read: string[] = [];
  for await (const line of lines) {
    read.push(`${line.speaker.name}: ${line.text}`);
    if (isLast(line)) break;
  }
  return read;
}

const isSaid = (text: string) => (line: SpokenLine) => line.kind === "utterance" && line.text.includes(text);

test.each(transports)("a conversation with an agent, read over %s", async (_, WebSocket) => {
  const { url } = await start();
  const floor = await connect({ url, WebSocket });
  const talk = await floor.open({ title: "Time", invite: ["/agents/clock"] });
  await talk.say("what time is it in Tokyo?");
  const read = await until(talk.lines(), isSaid("in Tokyo on"));
  expect(read).toContainEqual("Host: what time is it in Tokyo?");
  expect(read.at(-1)).toMatch(/^clock: It is \d\d:\d\d in Tokyo on /iu);
  expect((await talk.view()).title).toBe("Time");
});

test.each(transports)("each entry of the log comes once and in order over %s", async (_, WebSocket) => {
  const { url } = await start();
  const floor = await connect({ url, WebSocket });
  const talk = await floor.open();
  const words = Array.from({ length: 30 }, (_, index) => `word ${index}`);
  const said = await Promise.all(words.map((text) => talk.say(text)));
  const seqs: number[] = [];
  for await (const frame of talk.follow()) {
    if ("seq" in frame) seqs.push(frame.seq);
    if (seqs.at(-1) === said.at(-1)?.seq) break;
  }
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  const heard = (await talk.log({ limit: 1_000 })).flatMap((entry) =>
    entry.kind === "event" && entry.event.eventType === "utterance"
      ? [entry.event.parameters.dialogEvent.features.text?.tokens[0]?.value]
      : [],
  );
  expect(heard).toEqual(words);
});

test("twenty conversations at once raise no warning of Node", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  const { url } = await start();
  const floor = await connect({ url });
  const talks = await Promise.all(Array.from({ length: 20 }, () => floor.open()));
  const read = talks.map((talk) => until(talk.lines(), isSaid("hello")));
  const lives = talks.map((talk) => talk.live());
  await Promise.all(talks.map((talk) => talk.say("hello")));
  await Promise.all(read);
  for (const live of lives) live.close();
  expect(warnings).toEqual([]);
});

test("lines begin where the client joined, at the start or now", async () => {
  const { url, seat } = await start();
  const host = await connect({ url });
  const talk = await host.open({ id: "c1" });
  await talk.say("before Bob");
  await seat("c1", bob, "person", "Bob");
  await talk.command("reveal", { speakerUri: bob });
  const guest = await (await connect({ url, speaker: bob })).join("c1");
  await talk.say("after Bob");
  expect(await until(guest.lines(), isSaid("after Bob"))).not.toContain("Host: before Bob");
  expect(await until(guest.lines({ from: "start" }), isSaid("after Bob"))).toContain("Host: before Bob");
  const later = until(guest.lines({ from: "now" }), isSaid("much later"));
  await talk.say("later");
  await talk.say("much later");
  expect((await later).at(-1)).toBe("Host: much later");
});

test("a whisper reaches its addressee only", async () => {
  const { url, seat } = await start();
  const host = await connect({ url });
  const talk = await host.open({ id: "c1" });
  for (const [uri, name] of [
    [ann, "Ann"],
    [bob, "Bob"],
  ] as const)
    await seat("c1", uri, "person", name);
  const [toAnn, toBob] = [await connect({ url, speaker: ann }), await connect({ url, speaker: bob })];
  const [annTalk, bobTalk] = [await toAnn.join("c1"), await toBob.join("c1")];
  await talk.whisper(ann, "only for Ann");
  await talk.say("for everyone");
  expect(await until(annTalk.lines(), isSaid("for everyone"))).toContain("Host: only for Ann");
  expect((await until(bobTalk.lines(), isSaid("for everyone"))).join()).not.toContain("only for Ann");
});

test("D31: open questions are answered by choice", async () => {
  const { url } = await start();
  const floor = await connect({ url });
  const talk = await floor.open({ invite: ["/agents/interviewer"] });
  await talk.say("interview me");
  const ask = () => talk.questions().then((all) => all.at(-1));
  const name = await waitFor(ask, "the first question");
  expect(name).toMatchObject({ inputType: "text", text: "What shall I call you?" });
  await talk.answer(name, ["Ann"]);
  const next = await waitFor(async () => (await ask())?.inputType === "radio" && ask(), "the second question");
  await talk.answer(next, [next.options[1]?.value ?? ""]);
  await waitFor(async () => (await ask())?.inputType === "checkbox", "the third question");
});

test("a reply is awaited, of anyone or of one agent", async () => {
  const { url } = await start();
  const floor = await connect({ url });
  const talk = await floor.open({ invite: ["/agents/clock"] });
  await talk.say("what time is it in Oslo?");
  expect(await talk.waitForReply()).toMatchObject({
    speaker: { name: expect.stringMatching(/^clock$/iu), kind: "agent" },
  });
  const { conversants } = await talk.view();
  const clock = conversants.find(({ kind }) => kind === "agent")?.identification.speakerUri ?? "";
  const to = await talk.say("what time is it in Lima?", { to: clock });
  expect((await talk.waitForReply({ to, from: clock })).text).toMatch(/in Lima on/u);
});

test("a link lets a guest in, who may not host, and leaving ends the guest's reading", async () => {
  const { url } = await start();
  const host = await connect({ url });
  const talk = await host.open({ id: "c1" });
  const { link } = await host.call("POST /api/v1/conversations/:id/links", { params: { id: "c1" }, body: {} });
  const guest = await connect({ url: link, name: "Gus", token: undefined as never });
  expect(guest.me).toMatchObject({ kind: "guest", name: "Gus", canHost: false, conversations: ["c1"] });
  const seat = await guest.join("c1");
  await seat.say("hello");
  const reading = until(seat.lines({ from: "start" }), () => false);
  expect(await until(talk.lines(), isSaid("hello"))).toContain("Gus: hello");
  await seat.leave();
  expect((await reading).at(-1)).toMatch(/left/u);
  await expect(seat.view()).rejects.toMatchObject({ status: 404, isDenied: true });
});

test("commands, floor passing and the list of conversations", async () => {
  const { url } = await start();
  const floor = await connect({ url, name: "Ann" });
  const talk = await floor.open({ title: "Old", invite: ["/agents/echo"] });
  expect((await talk.command("title", { title: "New" })).title).toBe("New");
  const echo = await waitFor(async () => {
    const { conversants } = await talk.view();
    return conversants.find(({ kind, state }) => kind === "agent" && state === "joined");
  }, "the agent to join");
  await talk.revokeFloor(echo.identification.speakerUri);
  expect((await talk.view()).floorGranted).not.toContain(echo.identification.speakerUri);
  await talk.grantFloor(echo.identification.speakerUri);
  expect((await talk.view()).floorGranted).toContain(echo.identification.speakerUri);
  await talk.uninvite(echo.identification.speakerUri);
  expect((await talk.view()).conversants).toHaveLength(1);
  expect((await floor.agents()).agents.map(({ serviceUrl }) => serviceUrl)).toContain(`${url}/agents/echo`);
  const listed: (string | undefined)[] = [];
  for await (const { title } of floor.conversations()) listed.push(title);
  expect(listed).toEqual(["New"]);
  expect(await talk.export("markdown")).toContain("New");
  const host = createHostClient({ url, token });
  const file = { params: { id: talk.id }, query: { format: "markdown" as const } };
  expect(await host.text("GET /api/v1/conversations/:id/export", file)).toContain("New");
  expect((await host.call("GET /api/v1/conversations/:id", { params: { id: talk.id } })).title).toBe("New");
  host.close();
  await expect(host.call("GET /version")).rejects.toMatchObject({ name: "AbortError" });
  const invitation = { eventType: "invite" as const, to: { serviceUrl: `${url}/agents/clock` } };
  const openFloor = { conversation: { id: talk.id }, sender: { speakerUri: talk.me }, events: [invitation] };
  const request = {
    body: { openFloor: { schema: { version: "1.1.0" }, ...openFloor } },
    headers: { prefer: "wait=30" },
  };
  const { consequences = [] } = await floor.call("POST /openfloor", request);
  const events = consequences.flatMap((one) => one.openFloor?.events.map(({ eventType }) => eventType) ?? []);
  expect(events).toContain("acceptInvite");
  await talk.close();
  await expect(talk.say("too late")).rejects.toBeInstanceOf(FloorProblem);
});

test("a session of the operator is renewed when it was revoked, and ends with the client", async () => {
  const { url } = await start();
  const floor = await connect({ url });
  const first = floor.token ?? "";
  expect(first).not.toBe(token);
  await fetch(`${url}/api/v1/sessions`, { method: "DELETE", headers: { authorization: `Bearer ${first}` } });
  const talk = await floor.open();
  await talk.say("still here");
  const second = floor.token ?? "";
  expect(second).not.toBe(first);
  await floor.close();
  const { status } = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${second}` } });
  expect(status).toBe(401);
});

test("a credential speaks for its own speakers only, and a problem names the remedy", async () => {
  const credentials = createMemoryCredentials();
  const { url } = await start({ credentials });
  const key = await addKey(credentials, ann);
  const floor = await connect({ url, token: key });
  expect(floor.me).toMatchObject({ speakerUri: ann, canHost: true });
  await expect(connect({ url, token: key, speaker: bob })).rejects.toThrow(`Set \`speaker\` to one of ${ann}.`);
  await expect(connect({ url, token: "wrong" })).rejects.toMatchObject({ status: 401, isDenied: true });
  await expect(floor.join("nowhere")).rejects.toMatchObject({
    status: 404,
    type: "urn:plenary:problem:unknown-conversation",
  });
  const bad = floor.open({ options: { policy: "unheard of" } });
  await expect(bad).rejects.toMatchObject({ status: 400, pointer: "/policy" });
});
