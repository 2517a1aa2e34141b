import { createFloorServer, createMemoryStore, type FloorServer, silentLogger } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../run.ts";
import { createMemoryIo } from "../testing/memory-io.ts";

const token = "operators-token";
const answer = { status: 200 };
let floor: FloorServer;
let url = "";

beforeEach(async () => {
  const body = (async function* () {})();
  const dial = async () => ({ status: answer.status, headers: new Headers(), body });
  const ports = { store: createMemoryStore(), dialler: { dial }, logger: silentLogger };
  floor = await createFloorServer(ports, { token, listen: { port: 0 } });
  url = floor.url;
  answer.status = 200;
});

afterEach(() => floor.close());

async function webhooks(...args: string[]) {
  const io = createMemoryIo({ env: { PLENARY_URL: url, PLENARY_TOKEN: token } });
  const exitCode = await run(["webhooks", ...args], io);
  return { exitCode, ...io.written };
}

async function added(...args: string[]) {
  const { exitCode, stdout } = await webhooks("add", "https://receiver.example/hook", "--json", ...args);
  expect(exitCode).toBe(0);
  return JSON.parse(stdout);
}

test("the secret of a new webhook is alone on stdout", async () => {
  const { exitCode, stdout, stderr } = await webhooks("add", "https://receiver.example/hook");
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^whsec_[\w+/=]{44}\n$/u)]);
  expect(stderr).toMatch(/is not shown again[\s\S]* id {2}[a-z\d]{16}\n$/u);
});

test("a webhook has its kinds, types and label, and is listed until it is removed", async () => {
  const { id } = await added("--kind", "event", "--kind", "closed", "--event-type", "utterance", "--label", "the bell");
  const list = await webhooks("list", "--json");
  expect(JSON.parse(list.stdout)).toMatchObject({ id, kinds: ["event", "closed"], eventTypes: ["utterance"] });
  expect(list.stdout).not.toContain("whsec_");
  expect((await webhooks("list")).stdout).toBe(`${id}  active    https://receiver.example/hook  the bell\n`);
  expect(await webhooks("remove", id)).toMatchObject({ exitCode: 0, stdout: `${id} was removed\n` });
  expect(await webhooks("remove", id)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("no webhook") });
  expect((await webhooks("list")).stdout).toContain("There are no webhooks");
});

test("a test says what the receiver answered", async () => {
  const { id } = await added();
  expect(await webhooks("test", id)).toMatchObject({ exitCode: 0, stdout: "delivered: it answered 200\n" });
  answer.status = 500;
  expect(await webhooks("test", id)).toMatchObject({ exitCode: 1, stdout: "not delivered: it answered 500\n" });
  expect(await webhooks("test", "none")).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("no webhook") });
});

test("a refused registration exits 2 with the reason", async () => {
  const { exitCode, stderr } = await webhooks("add", "mailto:a@b.example");
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("/url")]);
});
