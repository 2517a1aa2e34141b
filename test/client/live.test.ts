// The model for user interfaces, at a real floor.
import type { ClientStorage, LiveConversation, LiveSnapshot } from "@plenary/client";
import { createAgent } from "@plenary/sdk";
import { expect, onTestFinished, test } from "vitest";
import { BreakableConnection } from "../browser/breakable-connection.ts";
import { bob } from "../support/envelopes.ts";
import { createGate } from "../support/wait-for.ts";
import { transports, useClientFloor } from "./client-floor.ts";

const { start, connect } = useClientFloor();

/** Resolves with the first snapshot that satisfies the test. */
function until(live: LiveConversation, isIt: (snapshot: LiveSnapshot) => boolean): Promise<LiveSnapshot> {
  return new Promise((resolve) => {
    const check = () => {
      if (!isIt(live.snapshot())) return;
      stop();
      resolve(live.snapshot());
    };
    const stop = live.subscribe(check);
    onTestFinished(stop);
    check();
  });
}

const textsIn = ({ lines }: LiveSnapshot) =>
  lines.flatMap((line) => (line.kind === "utterance" ? [line.dialogEvent.features.text?.tokens[0]?.value] : []));

test.each(transports)("the end of the log, older pages, and what is new, over %s", async (_, WebSocket) => {
  const { url } = await start();
  const talk = await (await connect({ url, WebSocket })).open();
  for (let count = 0; count < 120; count += 1) await talk.say(`word ${count}`);
  const live = talk.live();
  await live.loaded;
  expect(live.snapshot()).toMatchObject({ hasOlder: true, view: { id: talk.id } });
  expect(live.snapshot().entries).toHaveLength(200);
  await live.loadOlder();
  expect(live.snapshot().hasOlder).toBe(false);
  expect(live.snapshot().entries.map(({ seq }) => seq)).toEqual(live.snapshot().entries.map((_, index) => index + 1));
  await talk.say("new");
  const shown = await until(live, (snapshot) => textsIn(snapshot).includes("new") && snapshot.unsent.length === 0);
  expect(shown.connection).toBe("live");
  expect(textsIn(shown)).toHaveLength(121);
  await until(live, ({ view, entries }) => view.seq === entries.at(-1)?.seq);
});

test("presence and questions are kept fresh, and leaving ends it", async () => {
  const { url, seat } = await start();
  const host = await (await connect({ url })).open({ id: "c1", invite: ["/agents/interviewer"] });
  await seat("c1", bob, "person", "Bob");
  const guest = await (await connect({ url, speaker: bob })).join("c1");
  const [hostLive, guestLive] = [host.live(), guest.live()];
  const presenceOfBob = ({ view }: LiveSnapshot) =>
    view.conversants.find(({ identification }) => identification.speakerUri === bob)?.presence;
  await until(guestLive, ({ connection }) => connection === "live");
  await host.say("interview me");
  const { questions } = await until(hostLive, (snapshot) => snapshot.questions.length > 0);
  expect(presenceOfBob(await until(hostLive, (snapshot) => presenceOfBob(snapshot) === "here"))).toBe("here");
  expect(guestLive.snapshot().questions).toEqual([]);
  const [question] = questions;
  if (question !== undefined) await host.answer(question, ["Ann"]);
  await until(hostLive, (snapshot) => snapshot.questions.some(({ inputType }) => inputType === "radio"));
  await guest.leave();
  const left = await until(guestLive, ({ connection }) => connection === "gone");
  expect(left.problem).toBeUndefined();
  expect(presenceOfBob(left)).toBeUndefined();
  const former = guest.live();
  await former.loaded;
  expect(textsIn(former.snapshot())).toContain("interview me");
  const stranger = (await connect({ url, speaker: "tag:eve.example,2026:eve" })).join("c1");
  await expect(stranger).rejects.toMatchObject({ status: 404 });
});

test("a draft grows, and its utterance replaces it", async () => {
  const gate = createGate();
  async function* onUtterance() {
    yield "half ";
    await gate.opened;
    yield "whole";
  }
  const identification = {
    speakerUri: "tag:slow.example,2026:slow",
    conversationalName: "Slow",
    organization: "Example",
    synopsis: "Speaks slowly.",
  };
  const manifest = { identification, capabilities: [{ keyphrases: ["slow"], descriptions: ["speaks slowly"] }] };
  const create = (_: string, serviceUrl: string) =>
    createAgent({ manifest: { ...manifest, identification: { ...identification, serviceUrl } }, onUtterance });
  const { url } = await start({ hostedAgents: { names: ["slow"], create } });
  const talk = await (await connect({ url })).open({ invite: ["/agents/slow"] });
  const live = talk.live();
  await until(live, ({ view }) => view.conversants.some(({ state, kind }) => kind === "agent" && state === "joined"));
  await talk.say("go");
  const growing = await until(live, ({ drafts }) => drafts.length > 0 && drafts[0]?.text !== "");
  expect(growing.drafts).toMatchObject([{ text: "half ", speakerUri: "tag:slow.example,2026:slow" }]);
  gate.open();
  expect((await until(live, ({ drafts, lines }) => drafts.length === 0 && lines.length > 3)).drafts).toEqual([]);
  expect(textsIn(live.snapshot())).toContain("half whole");
});

test("an unsent utterance survives a reload and is said once", async () => {
  const { url, port } = await start();
  const items = new Map<string, string>();
  const storage: ClientStorage = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
  const line = await BreakableConnection.start(port);
  const before = await connect({ url: line.url, storage });
  const talk = await before.open({ id: "c1" });
  const live = talk.live();
  await until(live, ({ connection }) => connection === "live");
  await line.close();
  const lost = Promise.allSettled([talk.say("one"), talk.say("two")]);
  const waiting = await until(live, ({ unsent }) => unsent.length === 2 && unsent[0]?.problem !== undefined);
  expect(waiting.unsent.map(({ text }) => text)).toEqual(["one", "two"]);
  await before.close();
  await lost;
  expect(items.size).toBe(1);
  const after = (await (await connect({ url, storage })).join("c1")).live();
  const said = await until(after, (snapshot) => snapshot.unsent.length === 0 && textsIn(snapshot).length === 2);
  expect(textsIn(said)).toEqual(["one", "two"]);
  expect(items.size).toBe(0);
});
