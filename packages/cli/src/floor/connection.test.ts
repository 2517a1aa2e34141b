import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createFloorServer,
  createSqliteCredentials,
  createSqliteStore,
  type FloorServer,
  silentLogger,
} from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../run.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { locateFloor } from "./access.ts";
import { connectFloor, type SpeakerChoice } from "./connection.ts";

const [ann, bob] = ["tag:people.example,2026:ann", "tag:people.example,2026:bob"];
const token = "operators-token";
let folder = "";
let floor: FloorServer;
let url = "";

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plenary-client-"));
  const dial = async (): Promise<never> => {
    throw new Error("nothing is called from here");
  };
  const file = join(folder, "floor.db");
  const kept = { store: createSqliteStore(file), credentials: createSqliteCredentials(file) };
  floor = await createFloorServer({ ...kept, dialler: { dial }, logger: silentLogger }, { token, listen: { port: 0 } });
  url = floor.url;
});

afterEach(async () => {
  await floor.close();
  rmSync(folder, { recursive: true });
});

async function keyOf(...speakers: string[]): Promise<string> {
  const io = createMemoryIo({ cwd: folder });
  const named = speakers.flatMap((speaker) => ["--speaker", speaker]);
  await run(["keys", "add", ...named, "--person", "--store", "floor.db"], io);
  return io.written.stdout.trim();
}

async function whoIs(key: string, who: SpeakerChoice = {}): Promise<string> {
  const io = createMemoryIo({ cwd: folder, env: { PLENARY_URL: url, PLENARY_TOKEN: key } });
  const connected = await connectFloor(() => locateFloor({}, io), who);
  await connected.close();
  return connected.me.speakerUri;
}

test("an operator is the page's person by default, or the given speaker", async () => {
  const session = await fetch(`${url}/api/v1/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
  });
  const { speakerUri } = (await session.json()) as { speakerUri: string };
  expect(await whoIs(token)).toBe(speakerUri);
  expect(await whoIs(token, { speaker: bob })).toBe(bob);
});

test("a key speaks as its speaker; with several speakers one must be chosen", async () => {
  expect(await whoIs(await keyOf(ann))).toBe(ann);
  const both = await keyOf(ann, bob);
  expect(await whoIs(both, { speaker: bob })).toBe(bob);
  await expect(whoIs(both)).rejects.toThrow(
    `this credential speaks for several speakers: set --speaker to one of ${ann}, ${bob}`,
  );
  await expect(whoIs(both, { speaker: "tag:people.example,2026:cid" })).rejects.toThrow(
    "this credential does not speak for tag:people.example,2026:cid: set --speaker to one of ",
  );
});
