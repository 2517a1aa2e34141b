import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFloorServer, createSqliteStore, type FloorServer, silentLogger } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { messageOf } from "../errors.ts";
import { saveAddress } from "../store/location.ts";
import { createMemoryIo } from "../testing/memory-io.ts";
import { reachFloor } from "./access.ts";

const token = "operators-token";
let folder = "";
let file = "";
let floor: FloorServer | undefined;
let other: Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-access-"));
  file = join(folder, "floor.db");
});

afterEach(async () => {
  await floor?.close();
  other?.close();
  [floor, other] = [undefined, undefined];
  rmSync(folder, { recursive: true });
});

const io = (env: Record<string, string> = {}) => createMemoryIo({ cwd: folder, env });

/** As `plenary serve` leaves it: the address and the token beside the store. */
async function openFloor(): Promise<string> {
  const dial = async (): Promise<never> => {
    throw new Error("nothing is called from here");
  };
  const ports = { store: createSqliteStore(file), dialler: { dial }, logger: silentLogger };
  floor = await createFloorServer(ports, { token, listen: { port: 0 } });
  const { url } = floor;
  saveAddress(file, url);
  writeFileSync(`${file}-token`, `${token}\n`, { mode: 0o600 });
  return url;
}

/** Another server, which records its requests. */
async function openOther(status: number, body: string): Promise<{ url: string; heard: (string | undefined)[] }> {
  const heard: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers.authorization);
    response.writeHead(status).end(body);
  });
  other = server;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, heard };
}

test("the floor that runs on the store is found, with its token", async () => {
  const url = await openFloor();
  const access = await reachFloor({ store: "floor.db" }, io());
  expect(access.url).toBe(url);
  expect(await access.call("GET /api/v1/conversations")).toEqual({ conversations: [], next: null });
  const body = { id: "c1", owner: { identification: { speakerUri: "tag:ann.example,2025:1" } } };
  expect(await access.call("POST /api/v1/conversations", { body })).toMatchObject({ id: "c1" });
  access.close();
});

test("the stored address is not used when no floor runs: another process may listen there", async () => {
  await openFloor();
  await floor?.close();
  floor = undefined;
  const { url, heard } = await openOther(200, "{}");
  saveAddress(file, url);
  await expect(reachFloor({ store: "floor.db" }, io())).rejects.toThrow(
    /^no floor is running on .*floor\.db: start one with npm start \(or plenary serve\), or name one with --floor URL$/u,
  );
  expect(heard).toEqual([]);
});

test("the floor's problem document becomes the error message, with its status", async () => {
  await openFloor();
  const access = await reachFloor({ store: "floor.db" }, io());
  const problem = await access
    .call("GET /api/v1/conversations/:id", { params: { id: "nowhere" } })
    .catch((cause: unknown) => cause);
  expect(problem).toMatchObject({ status: 404 });
  expect(messageOf(problem)).toBe("No such conversation");
  access.close();
});

test("a response without a problem document, and no response, have their own messages", async () => {
  const { url } = await openOther(503, "<html>busy</html>");
  const env = { PLENARY_URL: url, PLENARY_TOKEN: "t" };
  const access = await reachFloor({ store: "floor.db" }, io(env));
  const ask = async () => messageOf(await access.call("GET /version").catch((cause: unknown) => cause));
  expect(await ask()).toBe("The floor answered 503");
  other?.closeAllConnections();
  await new Promise((resolve) => other?.close(resolve));
  expect(await ask()).toMatch(new RegExp(`^the floor at ${url} does not answer: connect ECONNREFUSED`, "u"));
  access.close();
});

test.each([
  ["ftp://127.0.0.1/", /it must start with http: or https:/u],
  ["127.0.0.1:7536", /it must start with http: or https:|it is not a URL/u],
  ["http://floor.example/", /the token would be sent unencrypted/u],
])("%s is no floor to hand a token to", async (url, why) => {
  const asked = reachFloor({ floor: url, store: "floor.db" }, io({ PLENARY_TOKEN: "t" }));
  await expect(asked).rejects.toThrow(why);
});

test("without a token the error says where to get one", async () => {
  const asked = reachFloor({ floor: "http://127.0.0.1:9", store: "floor.db" }, io());
  await expect(asked).rejects.toThrow(/set PLENARY_TOKEN, or name its store with --store FILE/u);
});

test("the token beside a store is only sent to that store's floor", async () => {
  const own = await openFloor();
  const elsewhere = await openOther(200, "{}");
  const env = { PLENARY_STORE: "floor.db" };
  await expect(reachFloor({ floor: elsewhere.url }, io(env))).rejects.toThrow(/there is no token for/u);
  await expect(reachFloor({}, io({ ...env, PLENARY_URL: elsewhere.url }))).rejects.toThrow(/there is no token for/u);
  expect(elsewhere.heard).toEqual([]);
  const named = await reachFloor({ floor: `${own}/` }, io(env));
  expect(await named.call("GET /api/v1/conversations")).toMatchObject({ conversations: [] });
  named.close();
});
