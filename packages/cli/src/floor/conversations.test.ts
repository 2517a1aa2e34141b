import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Floor } from "@plenary/client";
import { createFloorServer, createMemoryStore, type FloorServer, silentLogger } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../run.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { locateFloor } from "./access.ts";
import { connectFloor } from "./connection.ts";
import { findConversation, lastJoinedConversation, startConversation } from "./conversations.ts";

const listed = [
  { id: "5v0c2m8q", title: "Birds", updatedAt: "2026-11-16T10:05:00.000Z" },
  { id: "5v0c9zzz", title: "Budget", updatedAt: "2026-11-16T10:06:00.000Z" },
  { id: "Budget", updatedAt: "2026-11-16T10:07:00.000Z" },
  { id: "7a", title: "BIRDS of prey", updatedAt: "2026-11-16T10:08:00.000Z" },
  { id: "8a", title: "twice", updatedAt: "2026-11-16T10:09:00.000Z" },
  { id: "9a", title: "Twice", updatedAt: "2026-11-16T10:10:00.000Z" },
];

async function* all() {
  yield* listed;
}

test.each([
  ["5v0c2m8q", "5v0c2m8q"],
  ["5v0c2", "5v0c2m8q"],
  ["7a", "7a"],
  ["birds", "5v0c2m8q"],
  ["BIRDS OF PREY", "7a"],
  // An id is an id, whatever others are called.
  ["Budget", "Budget"],
])("%s is the conversation %s", async (name, id) => {
  expect((await findConversation(name, all())).id).toBe(id);
});

test.each([["5v"], ["bird"], [""], ["0c2m8q"]])("%j is the name of none", async (name) => {
  await expect(findConversation(name, all())).rejects.toThrow(
    `no conversation matches ${name}: plenary export lists all conversations`,
  );
});

test("an ambiguous name lists some of the ids", async () => {
  await expect(findConversation("twice", all())).rejects.toThrow(
    "2 conversations match twice: give the id (8a of 2026-11-16 10:09, 9a of 2026-11-16 10:10)",
  );
  await expect(findConversation("5v0c", all())).rejects.toThrow("(5v0c2m8q of 2026-11-16 10:05, 5v0c9zzz of ");
  const many = async function* () {
    for (let count = 10; count < 99; count += 1) yield { id: `many${count}`, updatedAt: "2026-11-16T10:05:00.000Z" };
  };
  await expect(findConversation("many", many())).rejects.toThrow(
    /^89 conversations match many: give the id \((?:many1\d of [^,]+, ){5}\.\.\.\)$/u,
  );
});

const token = "operators-token";
let floor: FloorServer;
let env: Record<string, string> = {};
let client: Floor;
let folder = "";

beforeEach(async () => {
  const dial = async (): Promise<never> => {
    throw new Error("nothing is called from here");
  };
  const ports = { store: createMemoryStore(), dialler: { dial }, logger: silentLogger };
  floor = await createFloorServer(ports, { token, listen: { port: 0 } });
  const { url } = floor;
  env = { PLENARY_URL: url, PLENARY_TOKEN: token };
  client = await connectFloor(() => locateFloor({}, createMemoryIo({ env })), {});
  folder = mkdtempSync(join(tmpdir(), "plenary-which-"));
});

afterEach(async () => {
  await client.close();
  await floor.close();
  rmSync(folder, { recursive: true });
});

test("the last conversation is open and the speaker is still in it", async () => {
  expect(await lastJoinedConversation(client)).toBeUndefined();
  const [stays, left, closed] = [
    await startConversation(client, "stays"),
    await startConversation(client, "left"),
    await startConversation(client, "closed"),
  ];
  expect(await lastJoinedConversation(client)).toBe(closed);
  await closed.close();
  expect(await lastJoinedConversation(client)).toBe(left);
  // Another participant stays, so that the conversation stays open.
  const identification = { speakerUri: "tag:bob.example,2026:1", conversationalName: "Bob" };
  await left.command("seat", { identification, kind: "person" });
  await left.leave();
  expect(await lastJoinedConversation(client)).toBe(stays);
});

test("chat --last does not return to a conversation that was left", async () => {
  const chat = async (args: string[], stdin: string) => {
    const io = createMemoryIo({ env, stdin, cwd: folder });
    return { exitCode: await run(["chat", "--json", ...args], io), ...io.written };
  };
  const idIn = (stdout: string) => (JSON.parse(stdout.split("\n")[0] ?? "") as { conversation: string }).conversation;
  const stays = idIn((await chat(["--title", "stays"], "")).stdout);
  const left = idIn((await chat(["--title", "left"], "/leave\n")).stdout);
  expect(left).not.toBe(stays);
  expect(idIn((await chat(["--last"], "/leave\n")).stdout)).toBe(stays);
  expect(await chat(["--last"], "")).toMatchObject({
    exitCode: 1,
    stderr: "plenary: there is no earlier conversation: leave out --last\n",
  });
});

test("all commands report a missing conversation in the same way", async () => {
  writeFileSync(join(folder, "agent.js"), "");
  const commands = [
    ["export", "Fish"],
    ["chat", "--conversation", "Fish"],
    ["dev", "agent.js", "--conversation", "Fish"],
  ];
  for (const args of commands) {
    const io = createMemoryIo({ env, cwd: folder });
    expect([await run(args, io), io.written.stderr.split("\n").at(-2)]).toEqual([
      1,
      "plenary: no conversation matches Fish: plenary export lists all conversations",
    ]);
  }
});
