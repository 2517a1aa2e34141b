// Agents of the built command have names that no agent elsewhere has, and keep them.
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { post } from "../peers/foreign-floor.ts";
import { plenary } from "../support/plenary-command.ts";
import { firstLine, type Started, usePlenaryProcesses } from "../support/start-plenary-process.ts";

const { place, start } = usePlenaryProcesses();

type Line = { speakerUri: string; url: string };

async function startEcho(folder: string, ...args: string[]): Promise<Line & { agent: Started }> {
  const cwd = join(place.folder, folder);
  mkdirSync(cwd, { recursive: true });
  const agent = start(["agent", "echo", "--json", ...args], {}, cwd);
  return { ...(JSON.parse(await firstLine(agent)) as Line), agent };
}

async function stop(...started: { agent: Started }[]): Promise<void> {
  for (const { agent } of started) agent.child.kill("SIGTERM");
  for (const { agent } of started) await agent.ended;
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
}

test("two machines have two names, a restart keeps the name, and the agent signs with it", async () => {
  const port = await freePort();
  const here = await startEcho("here", "--port", port);
  const { sender } = await post(here.url, [{ eventType: "invite", to: { serviceUrl: here.url } }]);
  expect(sender).toMatchObject({ speakerUri: here.speakerUri });
  expect(here.speakerUri).toMatch(new RegExp(`^tag:localhost,2025:[\\da-f]{12}:${port}:echo$`, "u"));
  await stop(here);
  const there = await startEcho("there", "--port", port);
  await stop(there);
  const again = await startEcho("here", "--port", port);
  expect(again.speakerUri).toBe(here.speakerUri);
  expect(there.speakerUri).not.toBe(here.speakerUri);
});

test("two agents of a kind in one folder have two names, and each keeps its own with its port", async () => {
  const [first, second] = [await startEcho("here"), await startEcho("here")];
  expect(new Set([first.speakerUri, second.speakerUri]).size).toBe(2);
  await stop(first, second);
  const [one, two] = [await startEcho("here"), await startEcho("here")];
  expect([one, two].map(({ url, speakerUri }) => [url, speakerUri])).toEqual(
    [first, second].map(({ url, speakerUri }) => [url, speakerUri]),
  );
});

test("an agent keeps its name beside agents of other folders, in any order of starts", async () => {
  const [here, there] = [await startEcho("here"), await startEcho("there")];
  await stop(here, there);
  const again = await startEcho("there");
  expect([again.speakerUri, again.url]).toEqual([there.speakerUri, there.url]);
});

test("agents that start at the same moment store one list and differ in name", async () => {
  const agents = await Promise.all(["1", "2", "3"].map(() => startEcho("here")));
  expect(new Set(agents.map(({ speakerUri }) => speakerUri)).size).toBe(3);
  const marks = agents.map(({ speakerUri }) => /[\da-f]{12}/u.exec(speakerUri)?.[0]);
  const folder = join(place.folder, "here", ".plenary");
  expect(readdirSync(folder)).toEqual(["agent-id"]);
  expect(new Set([...marks, readFileSync(join(folder, "agent-id"), "utf8").trim()]).size).toBe(1);
});

test("--speaker overrides the stored name and stores nothing", async () => {
  const speakerUri = "tag:me.example,2026:echo";
  const named = await startEcho("here", "--speaker", speakerUri);
  expect(named.speakerUri).toBe(speakerUri);
  expect(readdirSync(join(place.folder, "here"))).toEqual([]);
  const { exitCode, stderr } = plenary(["agent", "echo", "--speaker", "echo"]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("A speaker is a URI")]);
});

test("an agent whose name cannot be stored runs, and the operator gets a warning", async () => {
  mkdirSync(join(place.folder, "here"));
  writeFileSync(join(place.folder, "here", ".plenary"), "a file in the way");
  const { agent, speakerUri } = await startEcho("here");
  expect(speakerUri).toMatch(/^tag:localhost,2025:[\da-f]{12}:/u);
  expect(agent.said.err).toMatch(/agent-id cannot be kept .*: give --speaker URI, or start it in a writable folder/u);
});

test("two new agents of the same name are two speakers", async () => {
  const made = (folder: string) => start(["new-agent", join(folder, "bot"), "--no-install"], {}, place.folder);
  for (const folder of ["a", "b"]) expect(await made(folder).ended).toBe(0);
  const names = ["a", "b"].map((folder) => {
    const code = readFileSync(join(place.folder, folder, "bot", "agent.js"), "utf8");
    return /speakerUri: "(tag:bot\.example,\d{4}:[\da-f]{12})"/u.exec(code)?.[1];
  });
  expect(new Set(names).size).toBe(2);
  expect(names).not.toContain(undefined);
});
