// The client behind a connection that breaks in every way, over both transports.
import { expect, test } from "vitest";
import { BreakableConnection, breaks } from "../browser/breakable-connection.ts";
import { newSeed, seeded } from "../support/random.ts";
import { token } from "../support/start-test-floor.ts";
import { checkStory, tell } from "./check-story.ts";
import { transports, useClientFloor } from "./client-floor.ts";

const { start } = useClientFloor();
const words = 60;
const limits = {
  requestMs: 1_500,
  retryMs: 10,
  retryMaxMs: 200,
  streamSilenceMs: 1_500,
  socketSilenceMs: 700,
};

test.each(transports)("each entry and each word once through cuts, over %s", async (_, WebSocket) => {
  const { port, url } = await start();
  const line = await BreakableConnection.start(port);
  const random = seeded(newSeed("client cuts"));
  const kinds = [...breaks];
  let isBroken = false;
  const done: string[] = [];
  const fault = async () => {
    const kind = isBroken ? undefined : kinds.shift();
    if (kind === undefined) return;
    isBroken = true;
    await line.breakDown({ kind, afterBytes: 1 + random(3_000), more: 1 + random(3) });
    done.push(kind);
    isBroken = false;
  };
  const story = await tell({ url: line.url, token, words, faults: 12, fault, limits, WebSocket });
  await checkStory(url, story, words);
  await line.close();
  expect(done.length).toBeGreaterThan(2);
});
