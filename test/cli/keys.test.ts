import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteCredentials, createSqliteStore } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { environment, main } from "../support/plenary-command.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";

const ann = "tag:ann.example,2026:ann";
const bot = "tag:bot.example,2026:bot";

let folder = "";
let floor: TestFloor;
let closeCredentials: () => Promise<void>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plenary-keys-"));
  const file = join(folder, "floor.db");
  const store = createSqliteStore(file);
  const credentials = createSqliteCredentials(file);
  closeCredentials = credentials.close;
  floor = await startTestFloor({ store, credentials });
});

afterEach(async () => {
  await floor.close();
  await closeCredentials();
  rmSync(folder, { recursive: true });
});

/** Runs like a shell, while the floor continues. */
async function keys(...args: string[]) {
  const child = spawn(process.execPath, [main, "keys", ...args, "--store", "floor.db"], {
    cwd: folder,
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.stderr += text;
  });
  const [exitCode] = await once(child, "close");
  return { exitCode: exitCode as number | null, ...said };
}

async function keyFor(...args: string[]) {
  const { exitCode, stdout } = await keys("add", ...args, "--json");
  expect(exitCode).toBe(0);
  return JSON.parse(stdout) as { id: string; token: string };
}

async function say(token: string, speakerUri: string, conversation: string): Promise<number> {
  const events = [
    {
      eventType: "utterance",
      parameters: {
        dialogEvent: {
          id: `${speakerUri} ${randomUUID()}`,
          speakerUri,
          span: { startTime: "2026-01-31T10:05:00Z" },
          features: { text: { mimeType: "text/plain", tokens: [{ value: "hello" }] } },
        },
      },
    },
  ];
  const openFloor = {
    schema: { version: "1.1.0" },
    conversation: { id: conversation },
    sender: { speakerUri },
    events,
  };
  const response = await fetch(`${floor.url}/openfloor`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ openFloor }),
  });
  await response.text();
  return response.status;
}

test("a key that is made while the floor runs works at once, and a revoked key does not work any more", async () => {
  const { id, token } = await keyFor("--person", "--speaker", ann);
  expect(await say(token, ann, "c1")).toBe(200);
  expect(await say(token, bot, "c1")).toBe(403);
  expect(await keys("revoke", id)).toMatchObject({ exitCode: 0, stdout: `${id} is revoked\n` });
  expect(await say(token, ann, "c1")).toBe(401);
});

test("an agent's key cannot start a conversation, and a person's key can", async () => {
  const [agent, person] = [await keyFor("--speaker", bot), await keyFor("--person", "--speaker", ann)];
  expect(await say(agent.token, bot, "c1")).toBe(404);
  expect(await say(person.token, ann, "c1")).toBe(200);
});

test("the list shows the keys without their secrets", async () => {
  const { id, token } = await keyFor("--speaker", bot, "--label", "the bot");
  const { exitCode, stdout } = await keys("list");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(new RegExp(`^agent +${id} +live .* ${bot} +the bot$`, "mu"));
  expect(stdout).not.toContain(token.slice(-43));
});
