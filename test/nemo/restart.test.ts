// N14: a floor that stops during an answer, and starts again from its file.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStore } from "@plenary/server";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { utterance } from "../support/envelopes.ts";
import { token } from "../support/start-test-floor.ts";
import { createCollection } from "../support/wait-for.ts";
import type { Json } from "./frame-checks.ts";
import { postTo } from "./http-client.ts";
import { startNemoFloor } from "./nemo-floor.ts";
import { type Cue, createScriptedAgents } from "./scripted-agents.ts";

function restartableFloor() {
  const folder = mkdtempSync(join(tmpdir(), "plenary-nemo-"));
  const agents = createScriptedAgents();
  onTestFinished(async () => {
    await agents.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    agents,
    begin: (port?: number) =>
      startNemoFloor({ store: createSqliteStore(join(folder, "floor.db")), ...(port && { port }) }),
  };
}

const endings: [how: string, answer: (cue: Cue) => void, expected: string][] = [
  ["in silence", (cue) => cue.answer(), ""],
  ["with words", (cue) => cue.say("Here I am again."), "Here I am again."],
];

test.each(endings)(
  "N14 a client that returns after a turn ended %s gets its end, and may continue",
  async (_, answer, expected) => {
    const { agents, begin } = restartableFloor();
    let count = 0;
    const ivy = await agents.start("Ivy", (cue) => {
      count += 1;
      if (count === 1) cue.stream().write("Half of ");
      else if (count === 2) answer(cue);
      else cue.say(`said: ${cue.text}`);
    });
    const first = await begin();
    const client = await first.visit({ agents: [ivy], retryMs: 200 });
    client.say("tell me");
    await client.sees("Half of");
    await client.through(async () => {
      await first.shut();
      // The answer ends while the client is disconnected.
      const meanwhile = await begin();
      await ivy.cues.until((cues) => cues.length === 2, "the words once more");
      const answers = async () => {
        const log = await meanwhile.log(client.conversation);
        const asked = log.findLastIndex(({ kind, sender }) => kind === "received" && sender !== ivy.speakerUri);
        return log.slice(asked).filter(({ kind, sender }) => kind === "received" && sender === ivy.speakerUri).length;
      };
      await expect.poll(answers, { timeout: 60_000 }).toBe(1);
      await meanwhile.shut();
      const last = await begin(first.port);
      onTestFinished(async () => {
        await client.close();
        await last.close();
        expect([...first.errors, ...meanwhile.errors, ...last.errors]).toEqual([]);
      });
    });
    const bubble = await client.done();
    expect(bubble.status).not.toBe("failed");
    expect(bubble.text).toContain(expected);
    expect((await client.ask("and now?")).text).toContain("said: and now?");
    expect(client.faults).toEqual([]);
  },
);

test("N14 a client that returns while the redelivered utterance is in progress gets the answer and its end", async () => {
  const { agents, begin } = restartableFloor();
  const held: Cue[] = [];
  const ivy = await agents.start("Ivy", (cue) => {
    held.push(cue);
    if (held.length === 1) cue.stream().write("Half of ");
  });
  const before = await begin();
  const client = await before.visit({ agents: [ivy], retryMs: 200 });
  client.say("tell me");
  await client.sees("Half of");
  await client.through(async () => {
    await before.shut();
    const after = await begin(before.port);
    onTestFinished(async () => {
      await client.close();
      await after.close();
      expect([...before.errors, ...after.errors]).toEqual([]);
    });
  });
  await ivy.cues.until((cues) => cues.length === 2, "the words once more");
  expect(client.last().status).toBe("working");
  held[1]?.say("Here I am again.");
  expect((await client.done()).text).toContain("Here I am again.");
  expect(client.faults).toEqual([]);
});

/** An agent with a socket to the floor, written by hand. */
async function onSocket(floorUrl: string, speakerUri: string) {
  const query = new URLSearchParams({ speaker: speakerUri, as: "agent" });
  const ws = new WebSocket(`${floorUrl.replace("http", "ws")}/openfloor/ws?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const expected = createCollection<string>();
  const put = (frame: Json) => ws.send(JSON.stringify(frame));
  const answer = (delivery: string, conversation: string, ...events: Json[]) => {
    const head = { schema: { version: "1.1.0" }, conversation: { id: conversation }, sender: { speakerUri } };
    put({ inReplyTo: delivery, openFloor: { ...head, events } });
  };
  ws.on("message", (bytes) => {
    const { delivery, openFloor } = JSON.parse(String(bytes));
    if (delivery === undefined) return;
    const events: { eventType: string }[] = openFloor.events;
    const isFirst = events.some(({ eventType }) => eventType === "invite");
    if (events.some(({ eventType }) => eventType === "utterance")) expected.add(delivery);
    else answer(delivery, openFloor.conversation.id, ...(isFirst ? [{ eventType: "acceptInvite" }] : []));
  });
  await once(ws, "open");
  return { expected, put, answer, close: () => ws.terminate() };
}

test("an answer that an agent continues to stream after a restart of the floor arrives once", async () => {
  const { begin } = restartableFloor();
  const speakerUri = "tag:agents.example,2026:sock";
  const before = await begin();
  const url = `${before.url}/openfloor/at/${Buffer.from(speakerUri).toString("base64url")}`;
  const first = await onSocket(before.url, speakerUri);
  const client = await before.visit({ agents: [{ url }], retryMs: 200 });
  client.say("count");
  const [delivery = ""] = await first.expected.until((all) => all.length === 1, "the words");
  const draft = { inReplyTo: delivery, dialogEventId: "story" };
  first.put({ draft });
  first.put({ draft: { ...draft, delta: "one two " } });
  await client.sees("one two ");
  // The agent reconnects before the client does, and continues its stream.
  let [after, second] = [before, first];
  await client.through(async () => {
    first.close();
    await before.shut();
    after = await begin(before.port);
    second = await onSocket(after.url, speakerUri);
  });
  onTestFinished(async () => {
    await client.close();
    second.close();
    await after.close();
    expect([...before.errors, ...after.errors]).toEqual([]);
  });
  await second.expected.until((all) => all.length === 1, "the words once more");
  second.put({ draft: { ...draft, delta: "three " } });
  second.put({ draft: { ...draft, delta: "four" } });
  second.answer(delivery, client.conversation, utterance(speakerUri, "one two three four", { id: "story" }));
  const { text } = await client.done();
  expect(text.replaceAll(/\s+/gu, " ").replaceAll("**sock:** ", "")).toMatch(
    /^one two (?:\*\(stopped\)\* )?one two three four$/u,
  );
  expect(client.faults).toEqual([]);
});

test("previous_response_id works after a restart of the floor", async () => {
  const { agents, begin } = restartableFloor();
  const ivy = await agents.start("Ivy", (cue) => cue.say(`said: ${cue.text}`));
  const ask = async (floor: { url: string }, body: object) => {
    const response = await postTo(floor, { path: "/v1/responses", body: { model: ivy.url, ...body } });
    return (await response.json()) as { id: string };
  };
  const first = await begin();
  const { id } = await ask(first, { input: "one" });
  await first.close();
  const second = await begin();
  expect(JSON.stringify(await ask(second, { input: "two", previous_response_id: id }))).toContain("said: two");
  await second.close();
  expect(new Set(ivy.cues.items.map(({ conversation }) => conversation)).size).toBe(1);
  expect([...first.errors, ...second.errors]).toEqual([]);
});
