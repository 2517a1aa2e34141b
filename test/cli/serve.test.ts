import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const main = fileURLToPath(new URL("../../packages/cli/dist/main.js", import.meta.url));
const running: ChildProcess[] = [];

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plenary-serve-"));
});

afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

function plenary(...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  running.push(child);
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.err += text;
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, said, ended };
}

/** The first line it prints, or what it complained of instead. */
async function firstLine({ child, said, ended }: ReturnType<typeof plenary>): Promise<string> {
  while (!said.out.includes("\n")) {
    const end = await Promise.race([ended.then(() => "ended"), once(child.stdout ?? child, "data").then(() => "said")]);
    if (end === "ended") throw new Error(said.err);
  }
  return said.out.slice(0, said.out.indexOf("\n"));
}

const ann = "tag:ann.example,2025:1";

function envelope(conversationId: string, events: object[]) {
  const conversation = { id: conversationId };
  return JSON.stringify({
    openFloor: { schema: { version: "1.1.0" }, conversation, sender: { speakerUri: ann }, events },
  });
}

const hello = {
  eventType: "utterance",
  parameters: {
    dialogEvent: {
      id: "de:1",
      speakerUri: ann,
      span: { startTime: "2025-01-31T10:05:00Z" },
      features: { text: { mimeType: "text/plain", tokens: [{ value: "hello" }] } },
    },
  },
};

test("one command opens a floor on which a hosted agent answers, and a signal closes it", async () => {
  const floor = plenary("serve", "--port", "0", "--json");
  const { url, token, link, agents } = JSON.parse(await firstLine(floor));
  expect(agents).toContain("echo");
  expect(link).toBe(`${url}/#token=${token}`);
  const response = await fetch(`${url}/openfloor`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", prefer: "wait=20" },
    body: envelope("c1", [{ eventType: "invite", to: { serviceUrl: `${url}/agents/echo` } }, hello]),
  });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain("You said: hello");
  floor.child.kill("SIGTERM");
  expect(await floor.ended).toBe(0);
});

test("the link leads to a page that says how to talk to the floor", async () => {
  const floor = plenary("serve", "--port", "0");
  while (!floor.said.out.includes("Ctrl+C")) await once(floor.child.stdout ?? floor.child, "data");
  const link = /http:\S+/u.exec(floor.said.out)?.[0] ?? "";
  const page = await (await fetch(link)).text();
  expect(page).toContain("/openfloor");
});

test("without its token nobody speaks", async () => {
  const { url } = JSON.parse(await firstLine(plenary("serve", "--port", "0", "--json")));
  const response = await fetch(`${url}/openfloor`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: envelope("c1", []),
  });
  expect(response.status).toBe(401);
});

test("with --no-demo no agent is hosted", async () => {
  const { url, agents } = JSON.parse(await firstLine(plenary("serve", "--port", "0", "--json", "--no-demo")));
  expect(agents).toEqual([]);
  expect((await fetch(`${url}/agents/echo`, { method: "POST", body: envelope("c1", []) })).status).toBe(404);
});

test("a port that is taken is told with the way out", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const floor = plenary("serve", "--port", String(port));
  expect(await floor.ended).toBe(2);
  expect(floor.said.err).toBe(`plenary: port ${port} is taken: stop what uses it, or give --port 0 for any free one\n`);
  other.close();
});

test("a floor does not open to other machines", async () => {
  const floor = plenary("serve", "--port", "0", "--host", "0.0.0.0");
  expect(await floor.ended).toBe(2);
  expect(floor.said.err).toContain("put a proxy that secures access in front of it");
});

test.each([
  ["--port", "http"],
  ["--port", "70000"],
])("serve %s %s is wrong usage", async (...args) => {
  const floor = plenary("serve", ...args);
  expect(await floor.ended).toBe(2);
  expect(floor.said.err).toContain("plenary serve --help");
});

test("a ready-made agent serves any floor by itself", async () => {
  const agent = plenary("agent", "echo", "--json");
  const { url } = JSON.parse(await firstLine(agent));
  const response = await fetch(url, { method: "POST", body: envelope("c1", [hello]) });
  expect(await response.text()).toContain("You said: hello");
  agent.child.kill("SIGINT");
  expect(await agent.ended).toBe(0);
});

test("an unknown agent is told with those there are", async () => {
  const agent = plenary("agent", "nobody");
  expect(await agent.ended).toBe(2);
  expect(agent.said.err).toBe('plenary: there is no agent named "nobody". There is: echo\n');
});
