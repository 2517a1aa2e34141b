// The log of a floor in a process of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { newCredentialToken } from "@plenary/server";
import { createFrozenStore } from "@plenary/server/testing/frozen-store";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { ann, envelopeOf, utterance } from "../support/envelopes.ts";
import { firstLine, type Started, usePlenaryProcesses } from "../support/start-plenary-process.ts";
import { createFloorClient, token } from "../support/start-test-floor.ts";
import { waitFor } from "../support/wait-for.ts";
import { startReceiver } from "../webhooks/receiver.ts";

const { place, start } = usePlenaryProcesses();
const storeFile = () => join(place.folder, "floor.db");

/** `plenary serve` without its agents. Its stderr is no terminal. */
async function startFloor(args: readonly string[] = [], env: Record<string, string> = {}) {
  const options = ["--port", "0", "--json", "--no-demo", "--token", token, "--store", storeFile()];
  const started = start(["serve", ...options, ...args], env);
  const { url } = JSON.parse(await firstLine(started)) as { url: string };
  // It listens for signals from then on.
  await fetch(`${url}/readyz`);
  return { ...started, url, client: createFloorClient(url, token) };
}

const stop = async ({ child, ended }: Pick<Started, "child" | "ended">) => {
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
};

type Line = { time: string; level: string; message: string } & Record<string, unknown>;

/** Every line must be one JSON object. */
function linesOf({ said }: Pick<Started, "said">): Line[] {
  expect(said.err === "" || said.err.endsWith("\n")).toBe(true);
  return said.err
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** From now on the floor cannot list dead letters. */
function damageStore(table = "dead_letter"): void {
  const db = new Database(storeFile());
  db.exec(`DROP TABLE ${table}`);
  db.close();
}

test("an internal error is one JSON line, repeated ten times at most", async () => {
  const floor = await startFloor();
  damageStore();
  for (let count = 0; count < 30; count += 1) {
    expect((await floor.client.get("/api/v1/dead-letters")).status).toBe(503);
  }
  await stop(floor);
  const lines = linesOf(floor);
  expect(lines).toHaveLength(10);
  expect(lines[0]).toMatchObject({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u),
    level: "error",
    message: "store operation failed",
    error: {
      name: "StoreError",
      code: "store-failed",
      causes: [{ name: "SqliteError", message: expect.stringContaining("dead_letter") }],
      stack: expect.arrayContaining([expect.stringMatching(/^at /u)]),
    },
  });
});

test("no token and nothing that was said is in the log of a busy floor", async () => {
  const floor = await startFloor(["--log-level", "debug"]);
  const { client, url } = floor;
  const words = "words that only Ann and Bob should know";
  await client.openConversation("c", [ann]);
  const secrets = [token, words, "a-made-up-token", newCredentialToken("key").token.slice(25)];
  const { id, secret } = await client.must("POST", "/api/v1/webhooks", { url: "http://127.0.0.1:9/hook" });
  const { link } = await client.must("POST", "/api/v1/conversations/c/links", {});
  const { ticket } = await client.must("POST", "/api/v1/tickets", { speaker: ann });
  secrets.push(secret, String(link).split("#invite=")[1] ?? "", ticket);
  for (const one of secrets) expect(one.length).toBeGreaterThan(10);
  const broken = `/api/v1/webhooks/${id}/dead-letters`;
  damageStore("webhook_letter");
  for (const [index, one] of secrets.entries()) {
    await client.send("c", [utterance(ann, `${index} ${words} ${one}`)], { wait: 0 });
    const headers = { authorization: `Bearer ${one}`, origin: `http://localhost:${3_000 + index}` };
    for (const path of [`/openfloor/ws?ticket=${one}`, broken, `/websocket?token=${one}`]) {
      await fetch(`${url}${path}`, { headers });
    }
    await client.get(`${broken}?after=${one}`);
    await client.post("/openfloor", `{"openFloor": "${words} ${one}`);
    await client.post("/openfloor", envelopeOf(one, ann, [{ eventType: "invite", to: { serviceUrl: `x:${one}` } }]));
  }
  await stop(floor);
  const levels = new Set(linesOf(floor).map(({ level }) => level));
  expect([...levels].sort()).toEqual(["error", "info", "warn"]);
  for (const one of secrets) expect(floor.said.err).not.toContain(one);
});

test("by default problems only; level info adds the start, the migration and the end", async () => {
  // Without work that a floor takes up again.
  createFrozenStore(storeFile(), 1, "DELETE FROM outbox; DELETE FROM timer;");
  const verbose = await startFloor(["--log-level", "info"]);
  await stop(verbose);
  expect(linesOf(verbose)).toEqual([
    { time: expect.any(String), level: "info", message: "store migrated", from: 1, to: expect.any(Number) },
    { time: expect.any(String), level: "info", message: "listening", url: verbose.url },
    { time: expect.any(String), level: "info", message: "closing" },
  ]);
  const quiet = await startFloor();
  await stop(quiet);
  expect(quiet.said.err).toBe("");
});

test("level and format come from options, else from the environment", async () => {
  const env = { PLENARY_LOG_LEVEL: "info", PLENARY_LOG_FORMAT: "pretty" };
  const pretty = await startFloor([], env);
  await stop(pretty);
  expect(pretty.said.err).toMatch(/^[\d:.]+Z INFO {2}listening url=http:\S+\n[\d:.]+Z INFO {2}closing\n$/u);
  const silent = await startFloor(["--log-level", "silent"], env);
  damageStore();
  await silent.client.get("/api/v1/dead-letters");
  await stop(silent);
  expect(silent.said.err).toBe("");
});

test("a speakerUri that the store does not take is a warning", async () => {
  await stop(await startFloor());
  const speakerUri = "tag:us.example,2026:our-floor";
  const floor = await startFloor(["--speaker", speakerUri]);
  await stop(floor);
  expect(linesOf(floor)).toMatchObject([{ level: "warn", given: speakerUri }]);
});

test("a webhook that was disabled is a warning", async () => {
  const floor = await startFloor();
  const { url } = await startReceiver(() => ({ status: 410 }));
  const { id } = await floor.client.must("POST", "/api/v1/webhooks", { url });
  await floor.client.openConversation("c", [ann]);
  await waitFor(() => floor.said.err.includes("\n"), "a line");
  await stop(floor);
  const reason = "it answered 410 Gone";
  expect(linesOf(floor)).toMatchObject([{ level: "warn", message: "a webhook was disabled", webhook: id, reason }]);
});

test("a server without a logger logs to stderr, and lives on when nobody reads it", async () => {
  const script = join(import.meta.dirname, "logging-floor.mjs");
  const child = spawn(process.execPath, [script, storeFile(), token], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [started] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { url } = JSON.parse(started) as { url: string };
  const [line] = (await once(createInterface({ input: child.stderr }), "line")) as [string];
  expect(JSON.parse(line)).toMatchObject({ level: "info", message: "listening", url });
  child.stderr.destroy();
  damageStore();
  const client = createFloorClient(url, token);
  for (let count = 0; count < 30; count += 1) expect((await client.get("/api/v1/dead-letters")).status).toBe(503);
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
});
