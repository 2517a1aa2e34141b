// `plenary agent nemo`: one command makes a running server of the toolkit an agent.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ann, bob } from "../support/envelopes.ts";
import { firstLine, usePlenaryProcesses } from "../support/start-plenary-process.ts";
import { waitFor } from "../support/wait-for.ts";
import { startFloorForAgent } from "./bridge-floor.ts";
import { type Caller, startStockServer } from "./stock-server.ts";

const { start } = usePlenaryProcesses();
const token = "nobody-may-see-this-token";

const ways = [
  { way: "header", env: {}, isShown: ({ headers }: Caller) => headers.authorization === `Bearer ${token}` },
  {
    way: "message",
    env: { PLENARY_NEMO_AUTH: "message" },
    isShown: ({ frames }: Caller) =>
      JSON.stringify(frames[0]) === JSON.stringify({ type: "auth_message", payload: { method: "api_key", token } }),
  },
];

test.each(ways)(
  "one command makes a running server an agent; the credential goes to that server only, by $way",
  async ({ env, isShown }) => {
    const stock = await startStockServer((run) => run.say(`heard "${run.text}"`));
    onTestFinished(stock.close);
    const settings = { PLENARY_NEMO_TOKEN: token, ...env };
    const command = start(["agent", "nemo", "--url", stock.url, "--name", "Flow", "--json"], settings);
    const { name, conversationalName, url } = JSON.parse(await firstLine(command));
    expect([name, conversationalName]).toEqual(["nemo", "Flow"]);
    const at = await startFloorForAgent(url);
    onTestFinished(at.close);
    await at.invite();
    await at.ask(ann, "hello", { wait: 15 });
    await at.sees(bob, /^Flow: heard ".*hello"$/u);
    // One connection checked the workflow at the start, and one talks.
    expect(stock.callers.map(isShown)).toEqual([true, true]);
    expect(stock.callers[0]?.url.href).not.toContain(token);
    const elsewhere = [
      stock.asked(),
      await at.events(ann),
      await at.testFloor.state("table"),
      await at.testFloor.log("table"),
    ];
    expect(JSON.stringify(elsewhere)).not.toContain(token);
    command.child.kill("SIGTERM");
    expect(await command.ended).toBe(0);
    for (const { closed } of stock.callers) expect(await closed).toBeDefined();
    expect(command.said.err).toBe("");
    expect(command.said.out).not.toContain(token);
  },
);

test("an unreachable server is reported at the start in one line, and may start later", async () => {
  const stock = await startStockServer((run) => run.say("never"));
  await stock.close();
  const command = start(["agent", "nemo", "--url", stock.url]);
  expect(await firstLine(command)).toContain("Workflow is listening");
  await waitFor(() => command.said.err.includes("\n"), "a line");
  expect(command.said.err).toMatch(/^plenary: the workflow cannot be reached \(ws:.*\): until .*\n$/u);
  command.child.kill("SIGTERM");
  expect(await command.ended).toBe(0);
});

test("after a restart the workflow recognises each person, unless all share one session", async () => {
  const stock = await startStockServer((run) => run.say("yes"));
  onTestFinished(stock.close);
  const home = mkdtempSync(join(tmpdir(), "plenary-bridge-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const cookies = [];
  for (const more of [[], [], ["--shared-session"]]) {
    const command = start(["agent", "nemo", "--url", stock.url, "--json", ...more], {
      PLENARY_STORE: join(home, "floor.db"),
    });
    const { url } = JSON.parse(await firstLine(command));
    const at = await startFloorForAgent(url);
    await at.invite();
    cookies.push(stock.callers.at(-1)?.headers.cookie);
    await at.close();
    command.child.kill("SIGTERM");
    expect(await command.ended).toBe(0);
  }
  expect(cookies).toEqual([expect.stringMatching(/^nat-session=[\w-]{43}$/u), cookies[0], undefined]);
  expect(statSync(join(home, "nemo-session-key")).mode & 0o777).toBe(0o600);
});
