import { once } from "node:events";
import { linkSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { runPlenary } from "../support/run-plenary.ts";
import { firstLine, usePlenaryProcesses } from "../support/start-plenary-process.ts";
import { ann, envelope, hello } from "./hello.ts";

const { place, start } = usePlenaryProcesses();

function plenary(...args: string[]) {
  return start(args);
}

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

test("the link leads to the page, and the files of the page are served", async () => {
  const floor = plenary("serve", "--port", "0");
  while (!floor.said.out.includes("Ctrl+C")) await once(floor.child.stdout ?? floor.child, "data");
  const link = /http:\S+/u.exec(floor.said.out)?.[0] ?? "";
  const page = await fetch(link);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const paths = [...(await page.text()).matchAll(/(?:src|href)="(\/[^"]+)"/gu)].map(([, path = ""]) => path);
  expect(paths).toContain("/favicon.svg");
  expect(paths.some((path) => /^\/assets\/.+\.js$/u.test(path))).toBe(true);
  for (const path of paths) expect([path, (await fetch(new URL(path, link))).status]).toEqual([path, 200]);
  expect(floor.said.err).toBe("");
});

test("without its token an envelope is refused", async () => {
  const { url } = JSON.parse(await firstLine(plenary("serve", "--port", "0", "--json")));
  const response = await fetch(`${url}/openfloor`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: envelope("c1", []),
  });
  expect(response.status).toBe(401);
});

test("a refused web page is logged once, with the option that allows it", async () => {
  const floor = plenary("serve", "--port", "0", "--json");
  const { url } = JSON.parse(await firstLine(floor));
  const origin = "http://localhost:3000";
  for (const path of ["/websocket", "/chat", "/websocket"]) {
    expect((await fetch(`${url}${path}`, { headers: { origin } })).status).toBe(403);
  }
  floor.child.kill("SIGTERM");
  await floor.ended;
  expect(JSON.parse(floor.said.err)).toMatchObject({ level: "warn" });
  expect(floor.said.err).toContain(`if it is yours, start the floor with --allow-origin ${origin}`);
});

test("with --no-demo no agent is hosted", async () => {
  const { url, agents } = JSON.parse(await firstLine(plenary("serve", "--port", "0", "--json", "--no-demo")));
  expect(agents).toEqual([]);
  expect((await fetch(`${url}/agents/echo`, { method: "POST", body: envelope("c1", []) })).status).toBe(404);
});

test("a port in use is an error with a hint", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const floor = plenary("serve", "--port", String(port));
  expect(await floor.ended).toBe(2);
  expect(floor.said.err).toBe(
    `plenary: port ${port} is in use: stop the process that uses it, or give --port 0 for any free port\n`,
  );
  other.close();
});

test.each([
  ["--port", "http"],
  ["--port", "70000"],
  ["--speaker", "my floor"],
  ["--log-level", "loud"],
  ["--log-format", "xml"],
])("serve %s %s is wrong usage", async (...args) => {
  const { exitCode, stderr } = await runPlenary(["serve", ...args], { cwd: place.folder });
  expect(exitCode).toBe(2);
  expect(stderr).toContain("plenary serve --help");
});

test("--speaker names a new floor, and overrides the environment", async () => {
  const speaker = "tag:us.example,2026:our-floor";
  const env = { PLENARY_SPEAKER_URI: "tag:us.example,2026:other" };
  const { url, token } = JSON.parse(
    await firstLine(start(["serve", "--port", "0", "--json", "--speaker", speaker], env)),
  );
  const me = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  expect(await me.json()).toMatchObject({ floor: { speakerUri: speaker } });
});

test("a ready-made agent serves any floor as a separate process", async () => {
  const agent = plenary("agent", "echo", "--json");
  const { url } = JSON.parse(await firstLine(agent));
  const response = await fetch(url, { method: "POST", body: envelope("c1", [hello]) });
  expect(await response.text()).toContain("You said: hello");
  agent.child.kill("SIGINT");
  expect(await agent.ended).toBe(0);
});

test("an agent keeps its address after a restart, because floors trust the address of the first join", async () => {
  const first = plenary("agent", "interviewer", "--json");
  const { url } = JSON.parse(await firstLine(first));
  first.child.kill("SIGTERM");
  await first.ended;
  expect(JSON.parse(await firstLine(plenary("agent", "interviewer", "--json"))).url).toBe(url);
});

test("an unknown agent is an error that lists the known ones", async () => {
  const { exitCode, stderr } = await runPlenary(["agent", "nobody"], { cwd: place.folder });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^plenary: there is no agent named "nobody"\. Available: guide, clock, .*, llm, .*\n$/u);
});

test("a floor that is killed and restarted has its link and its conversations, and verify accepts them", async () => {
  const first = plenary("serve", "--port", "0", "--json");
  const { url, token } = JSON.parse(await firstLine(first));
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const said = await fetch(`${url}/openfloor`, { method: "POST", headers, body: envelope("c1", [hello]) });
  expect(said.status).toBe(200);
  first.child.kill("SIGKILL");
  await first.ended;
  const second = plenary("serve", "--port", "0", "--json");
  const again = JSON.parse(await firstLine(second));
  expect(again.token).toBe(token);
  // The hosted agents have seats under that address.
  expect(again.url).toBe(url);
  const log = await fetch(`${again.url}/api/v1/conversations/c1/log?speaker=${encodeURIComponent(ann)}`, { headers });
  expect(await log.text()).toContain('"value":"hello"');
  const verify = plenary("verify", "--json");
  const verdict = JSON.parse(await firstLine(verify));
  expect(verdict).toMatchObject({ ok: true, conversation: "c1" });
  expect(await verify.ended).toBe(0);
});

test("a store in use by another process is an error with a hint", async () => {
  await firstLine(plenary("serve", "--port", "0", "--json"));
  const second = plenary("serve", "--port", "0");
  expect(await second.ended).toBe(2);
  expect(second.said.err).toContain(
    "another process uses this store; stop the process that uses it, or give another file with --store",
  );
});

test("a symbolic link to a store in use is refused, and so is a store with two names, with a remedy", async () => {
  await firstLine(plenary("serve", "--port", "0", "--json", "--store", "kept.db"));
  symlinkSync("kept.db", join(place.folder, "link.db"));
  const second = plenary("serve", "--port", "0", "--store", "link.db");
  expect(await second.ended).toBe(2);
  expect(second.said.err).toContain("another process uses this store");
  linkSync(join(place.folder, "kept.db"), join(place.folder, "twin.db"));
  for (const command of [["serve", "--port", "0"], ["keys", "list"], ["verify"]]) {
    const third = plenary(...command, "--store", "twin.db");
    expect(await third.ended).toBe(2);
    expect(third.said.err).toMatch(/twin\.db has 2 hard links, and a store must have one: delete its other names/u);
  }
});

test("a changed log is detected", async () => {
  const floor = plenary("serve", "--port", "0", "--json", "--store", "kept.db");
  const { url, token } = JSON.parse(await firstLine(floor));
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  await fetch(`${url}/openfloor`, { method: "POST", headers, body: envelope("c1", [hello]) });
  floor.child.kill("SIGTERM");
  expect(await floor.ended).toBe(0);
  const db = new Database(join(place.folder, "kept.db"));
  db.exec("UPDATE log SET payload = replace(payload, 'hello', 'hullo')");
  db.close();
  const verify = plenary("verify", "--store", "kept.db");
  expect(await verify.ended).toBe(1);
  expect(verify.said.out).toContain("c1: entry 1: the events do not match their digest\n");
});

test.each([
  [["verify"], "there is no such file"],
  [["verify", "--store", ":memory:"], "it does not outlive its process"],
  [["serve", "--store", "postgres://floor.example/db"], "give --store FILE, or :memory:"],
])("%j reports what is missing", async (args, problem) => {
  const { exitCode, stderr } = await runPlenary(args, { cwd: place.folder });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(problem);
});
