// N14: a floor that ends in the middle of an answer, and begins again from its file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStore } from "@plenary/server";
import { expect, onTestFinished, test } from "vitest";
import { type Cue, createCast } from "./cast.ts";
import { startNemoFloor } from "./nemo-floor.ts";

function stage() {
  const folder = mkdtempSync(join(tmpdir(), "plenary-nemo-"));
  const cast = createCast();
  onTestFinished(async () => {
    await cast.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    cast,
    begin: (port?: number) =>
      startNemoFloor({}, { store: createSqliteStore(join(folder, "floor.db")), ...(port && { port }) }),
  };
}

const endings: [how: string, answer: (cue: Cue) => void, told: string][] = [
  ["in silence", (cue) => cue.answer(), ""],
  ["with words", (cue) => cue.say("Here I am again."), "Here I am again."],
];

test.each(endings)(
  "N14 whoever comes back after a turn that was over %s by then is told so, and may go on",
  async (_, answer, told) => {
    const { cast, begin } = stage();
    let count = 0;
    const ivy = await cast.actor("Ivy", (cue) => {
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
      // Where the client does not find it, the answer comes to its end.
      const meanwhile = await begin();
      await ivy.cues.until((cues) => cues.length === 2, "the words once more");
      const answers = async () => {
        const log = await meanwhile.log(client.conversation);
        const asked = log.findLastIndex(({ kind, sender }) => kind === "received" && sender !== ivy.speakerUri);
        return log.slice(asked).filter(({ kind, sender }) => kind === "received" && sender === ivy.speakerUri).length;
      };
      await expect.poll(answers, { timeout: 10_000 }).toBe(1);
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
    expect(bubble.text).toContain(told);
    expect((await client.ask("and now?")).text).toContain("said: and now?");
    expect(client.faults).toEqual([]);
  },
);

test("N14 whoever comes back while the repeated words are still worked on is told the answer, and its end", async () => {
  const { cast, begin } = stage();
  const held: Cue[] = [];
  const ivy = await cast.actor("Ivy", (cue) => {
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
