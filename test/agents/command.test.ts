// `plenary agents` beside a running floor, with foreign agents.
import { afterEach, expect, test } from "vitest";
import { closeAgents, startAgent } from "../support/http-agent.ts";
import { runPlenary } from "../support/run-plenary.ts";
import { firstLine, usePlenaryProcesses } from "../support/start-plenary-process.ts";
import * as peer from "./foreign-agents.ts";

const { place, start } = usePlenaryProcesses();
afterEach(closeAgents);

async function plenary(...args: string[]) {
  const { exitCode, stdout: out, stderr: err } = await runPlenary(args, { cwd: place.folder });
  return { exitCode, out, err };
}

async function plenaryProcess(...args: string[]) {
  const { said, ended } = start(args);
  const exitCode = await ended;
  return { exitCode, ...said };
}

/** On a store in the folder of the test, where the command finds it. */
async function serve() {
  const floor = start(["serve", "--port", "0", "--json", "--no-demo"]);
  await firstLine(floor);
  return floor;
}

const linesOf = (text: string) => text.trimEnd().split("\n");

test("agents are added, listed, checked and removed, and the list is kept after a restart", async () => {
  const floor = await serve();
  const newton = await startAgent(peer.modern("Newton"));
  const old = await startAgent(peer.old);
  const hostile = await startAgent(peer.hostile);
  const added = await plenaryProcess("agents", "add", newton.url, old.url, hostile.url);
  expect(added).toMatchObject({ exitCode: 0, err: "" });
  expect(added.out).toMatch(/^● Newton {2}http:\/\/127\.0\.0\.1:\d+\/\n {2}answered in \d+ ms, speaks OFP 1\.1\n/u);
  expect(added.out).toContain("speaks OVON 0.9");
  floor.child.kill("SIGTERM");
  expect(await floor.ended).toBe(0);

  await serve();
  const listed = await plenary("agents", "list");
  expect(linesOf(listed.out)).toEqual([
    expect.stringMatching(/^ {2}NAME +HEALTH {5}P50\/P95 +SPEAKS {4}QUIRKS {2}ADDRESS$/u),
    expect.stringMatching(/^● \\u001b\[2J\S+ +answering {2}\d+\/\d+ ms +OFP 1\.1 {3}\d +http:/u),
    expect.stringMatching(/^● Methuselah +answering {2}\d+\/\d+ ms +OVON 0\.9 {2}\d +http:/u),
    expect.stringMatching(/^● Newton +answering {2}\d+\/\d+ ms +OFP 1\.1 {3}- +http:/u),
  ]);

  const removed = await plenary("agents", "remove", hostile.url, "http://127.0.0.1:9/nobody", "--json");
  expect(removed.exitCode).toBe(1);
  expect(linesOf(removed.out).map((line) => JSON.parse(line).removed)).toEqual([true, false]);

  const checked = await plenary("agents", "check", "--json");
  expect(checked.exitCode).toBe(0);
  expect(linesOf(checked.out).map((line) => JSON.parse(line))).toMatchObject([
    { serviceUrl: old.url, dialect: "0.9", latencyMs: { of: 2 } },
    { serviceUrl: newton.url, dialect: "1.1", latencyMs: { of: 2 } },
  ]);
});

test("a check reports the fault and the remedy for each agent, and fails when an agent does not answer", async () => {
  await serve();
  const dead = await peer.deadAddress();
  const liar = await startAgent(peer.liar);
  const quirky = await startAgent(peer.quirky);
  const checked = await plenary("agents", "check", dead, liar.url, quirky.url, "http://10.0.0.1:8080/x");
  expect(checked).toMatchObject({ exitCode: 1, err: "" });
  const [ofDead, ofLiar, ofQuirky, ofInward] = checked.out.split("\n\n");
  expect(ofDead).toMatch(
    /^○ 127\.0\.0\.1:\d+ .*\n {2}silent: .*ECONNREFUSED.*\n {2}it never answered\n {2}fix: start the agent/u,
  );
  expect(ofLiar).toMatch(/^✗ .*\n {2}failing: its answer is not an envelope\n.*\n {2}fix: .*plenary validate/u);
  expect(ofQuirky).toMatch(/^● Quirk .*\n {2}answered in.* quirks, for its author:\n/su);
  expect(ofQuirky).toContain("fix: rename serviceName to department");
  expect(ofInward).toContain("fix: if you trust it, start the floor with PLENARY_ALLOW_HOSTS=10.0.0.1:8080");
});
