import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { createHostClient } from "@plenary/client/host";
import { expect, test } from "vitest";
import { environment, main, type Outcome, plenary } from "../support/plenary-command.ts";
import { runPlenary } from "../support/run-plenary.ts";
import { firstLine, usePlenaryProcesses } from "../support/start-plenary-process.ts";
import { say } from "./hello.ts";

const { place, start } = usePlenaryProcesses();

/** In the process of the test. */
async function doctor(env: Record<string, string> = {}) {
  return findingsOf(await runPlenary(["doctor", "--json"], { cwd: place.folder, env }));
}

const doctorProcess = () => findingsOf(plenary(["doctor", "--json"], { cwd: place.folder }));

function findingsOf({ stdout, ...outcome }: Outcome) {
  const findings: { id: string; level: string; what: string }[] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { ...outcome, levelOf: (id: string) => findings.find((one) => one.id === id)?.level, findings };
}

test("a new floor has no unsafe setting, while it runs and afterwards", async () => {
  const floor = start(["serve", "--port", "0", "--json"]);
  await firstLine(floor);
  expect(doctorProcess()).toMatchObject({ exitCode: 0, stderr: "" });
  floor.child.kill("SIGTERM");
  expect(await floor.ended).toBe(0);
  const after = doctorProcess();
  expect(after.exitCode).toBe(0);
  for (const id of ["store-file", "token-file", "store-folder", "durability"]) expect(after.levelOf(id)).toBe("ok");
});

test("a file that others can read is detected, and the printed command repairs it", async () => {
  const floor = start(["serve", "--port", "0", "--json"]);
  const { url, token } = JSON.parse(await firstLine(floor));
  const owner = { identification: { speakerUri: "tag:ann.example,2025:1" } };
  const host = createHostClient({ url, token });
  await host.call("POST /api/v1/conversations", { body: { id: "free", owner, policy: "spec" } });
  const agent = JSON.parse(await firstLine(start(["agent", "echo", "--json"])));
  await say(url, token, [{ eventType: "invite", to: { serviceUrl: agent.url } }], { prefer: "wait=20" });
  chmodSync(join(place.folder, ".plenary"), 0o777);
  const open = await doctor({ PLENARY_PUBLIC_URL: "https://floor.example" });
  expect(open.exitCode).toBe(1);
  expect(open.levelOf("store-folder")).toBe("unsafe");
  expect(open.findings.find(({ id }) => id === "policy")?.what).toContain("1 open conversations");
  expect(open.findings.find(({ id }) => id === "signing")?.what).toContain(agent.url);
  const added = await runPlenary(["keys", "add", "--service-url", agent.url], { cwd: place.folder });
  expect(added.exitCode).toBe(0);
  chmodSync(join(place.folder, ".plenary"), 0o700);
  const repaired = await doctor({ PLENARY_PUBLIC_URL: "https://floor.example" });
  expect(repaired.exitCode).toBe(0);
  expect(repaired.levelOf("signing")).toBe("ok");
});

test("options that make Node itself unsafe are detected", async () => {
  const { exitCode, levelOf } = await doctor({
    NODE_OPTIONS: "--inspect=127.0.0.1:0",
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
  });
  expect(exitCode).toBe(1);
  expect([levelOf("debugger"), levelOf("tls")]).toEqual(["unsafe", "unsafe"]);
});

test("a debugger that the command itself opens is detected, too", () => {
  const args = ["--inspect=127.0.0.1:0", main, "doctor"];
  const options = { cwd: place.folder, env: environment(), encoding: "utf8" } as const;
  const { status, stdout } = spawnSync(process.execPath, args, options);
  expect(status).toBe(1);
  expect(stdout).toMatch(/^unsafe {3}debugger: --inspect opens a debugger/u);
});

test("help has examples and explains the exit code", async () => {
  const { exitCode, stdout } = await runPlenary(["doctor", "--help"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Examples:\n  plenary doctor\n");
  expect(stdout).toContain("Exit code: 0 nothing is unsafe, 1 something is, 2");
});
