// `plenary dev` during the development of an agent, against a real floor, with the built command.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { firstLine, type Started, usePlenaryProcesses } from "../support/start-plenary-process.ts";
import { startTestFloor, type TestFloor, token } from "../support/start-test-floor.ts";
import { agentIn, isAlive, linesOf, patience, personAt, untilGone, waitForLine } from "./agent-development.ts";

const { place, start } = usePlenaryProcesses();
const worlds: TestFloor[] = [];

afterEach(async () => {
  for (const testFloor of worlds.splice(0)) await testFloor.close();
});

/** An empty floor, and an agent in a folder whose name has a space. */
async function scene() {
  // An agent that restarts is unreachable for a moment, and the floor waits for it.
  const testFloor = await startTestFloor({
    deliveryLimits: { inviteRetryMs: 10_000, retryMs: 60_000, retryCapMs: 200 },
  });
  worlds.push(testFloor);
  const dev = (...args: string[]) =>
    start(["dev", "my agent", "--json", "--floor", testFloor.url, ...args], { PLENARY_TOKEN: token });
  const folder = join(place.folder, "my agent");
  return { person: await personAt({ url: testFloor.url, token }), folder, dev, ...agentIn(folder) };
}

const says = (words: string) => (code: string) => code.replace(/return `.*: \$/u, `return \`${words}: $`);

/** Prints its process id, so that a test can see whether it still runs. */
const tellsPid = (code: string) => `${code}console.log("pid " + process.pid);\n`;

async function pidOf({ said }: Started): Promise<number> {
  return vi.waitFor(() => Number(/pid (\d+)/u.exec(said.err)?.[1] ?? expect.fail(said.err)), patience);
}

test("an agent joins the last used conversation, changes with each save, and leaves on Ctrl+C", async () => {
  const { person, dev, edit, folder } = await scene();
  const words = join(folder, "words.js");
  writeFileSync(words, 'export const word = "One";\n');
  edit(tellsPid);
  await person.open("earlier");
  const conversation = await person.open("later");

  const command = dev();
  const { serviceUrl, ...joined } = await waitForLine(command, "joined");
  expect(joined).toMatchObject({ conversation, name: "My Agent", link: `${person.url}/?conversation=${conversation}` });
  await person.say(conversation, "hello");
  await person.hears(conversation, "You said: hello");

  edit(says("I heard"));
  await waitForLine(command, "reloaded");
  await person.say(conversation, "hello again");
  await person.hears(conversation, "I heard: hello again");

  // A change to an imported file counts as well.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the agent's own code
  edit((code) => `import { word } from "./words.js";\n${says("${word}")(code)}`);
  await waitForLine(command, "reloaded", 2);
  writeFileSync(words, 'export const word = "Two";\n');
  await waitForLine(command, "reloaded", 3);
  await person.say(conversation, "and now?");
  await person.hears(conversation, "Two: and now?");
  const greeted = "Hello! Tell me something.";
  expect(await person.heard(conversation)).toEqual([
    ...[greeted, "You said: hello", "I heard: hello again", "Two: and now?"],
  ]);
  expect(await person.seated(conversation)).toMatchObject([{ conversationalName: "My Agent", serviceUrl }]);

  // An agent with a new speakerUri joins anew.
  edit((code) => code.replace('"My Agent"', '"Your Agent"'));
  expect(await waitForLine(command, "reloaded", 4)).toMatchObject({ name: "Your Agent" });
  await vi.waitFor(async () => {
    expect(await person.seated(conversation)).toMatchObject([{ conversationalName: "Your Agent" }]);
  }, patience);

  const pid = Number(command.said.err.match(/\d+\n$/u)?.[0]);
  expect(isAlive(pid)).toBe(true);
  command.child.kill("SIGINT");
  expect(await command.ended).toBe(0);
  expect(isAlive(pid)).toBe(false);
  expect(linesOf(command).at(-1)).toMatchObject({ event: "left" });
  expect(await person.seated(conversation)).toEqual([]);
});

test("a broken save is reported, and the corrected agent answers the utterances of the meantime", async () => {
  const { person, dev, edit } = await scene();
  edit((code) => `${code}throw new Error("not yet");\n`);
  const command = dev();
  expect((await waitForLine(command, "broken")).problem).toBe("it ended with exit code 1");
  edit((code) => code.replace(/throw .*\n/u, ""));
  const { conversation = "" } = await waitForLine(command, "joined");
  edit((code) => `${code}const slip = ;\n`);
  await waitForLine(command, "broken", 2);
  expect(command.said.err).toContain("my agent | SyntaxError: Unexpected token ';'\n");
  await person.say(conversation, "are you there?");
  edit((code) => says("I am back")(code.replace("const slip = ;\n", "")));
  await person.hears(conversation, "I am back: are you there?");
  expect(await person.seated(conversation)).toHaveLength(1);
});

test("an agent that is saved repeatedly during a conversation answers everything once and in order", async () => {
  const { person, dev, edit } = await scene();
  // It answers slowly, so that each save comes during an answer.
  edit(
    (code) => `import { setTimeout } from "node:timers/promises";
${code.replace("onUtterance(", "async onUtterance(").replace("return `", "await setTimeout(400);\n    return `")}`,
  );
  const command = dev();
  const { conversation = "" } = await waitForLine(command, "joined");
  const count = 6;
  for (let index = 1; index <= count; index += 1) {
    await person.say(conversation, `number ${index}`);
    if (index % 2 !== 0) continue;
    edit((code) => `${code}\n`);
    await waitForLine(command, "changed", index / 2);
  }
  await person.hears(conversation, `You said: number ${count}`);
  const answers = Array.from({ length: count }, (_, index) => `You said: number ${index + 1}`);
  expect((await person.heard(conversation)).slice(1)).toEqual(answers);
});

test("a killed command leaves no process, and its agent returns to its seat after a restart", async () => {
  const { person, dev, edit } = await scene();
  edit(tellsPid);
  const conversation = await person.open("this one");
  await person.open("later");
  const command = dev("--conversation", conversation);
  const { serviceUrl } = await waitForLine(command, "joined");
  const pid = await pidOf(command);
  command.child.kill("SIGKILL");
  await untilGone(pid);
  expect(await person.seated(conversation)).toHaveLength(1);
  const again = dev("--conversation", conversation);
  expect(await waitForLine(again, "joined")).toMatchObject({ conversation, serviceUrl });
  await person.say(conversation, "still here?");
  await person.hears(conversation, "You said: still here?");
  // As if its terminal was closed.
  again.child.kill("SIGHUP");
  expect(await again.ended).toBe(0);
  expect(await person.seated(conversation)).toEqual([]);
});

test("an agent that ignores signals is killed, with the processes that it started", async () => {
  const { dev, edit } = await scene();
  const endless = 'spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" })';
  edit(
    (code) => `import { spawn } from "node:child_process";
${code}console.log("pids " + process.pid + " " + ${endless}.pid);
console.log("token", process.env.PLENARY_TOKEN, "\\u001b[2J");
setTimeout(() => { for (;;); }, 100);
`,
  );
  const command = dev();
  const pids = await vi.waitFor(() => {
    const [, ...found] = /pids (\d+) (\d+)/u.exec(command.said.err) ?? expect.fail(command.said.err);
    return found.map(Number);
  }, patience);
  command.child.kill("SIGTERM");
  expect(await command.ended).toBe(0);
  for (const pid of pids) await untilGone(pid);
  // Its output has no control characters, and it does not get the operator's token.
  expect(command.said.err).toContain("my agent | token undefined \\u001b[2J\n");
});

test("the command finds the running floor, and prints where to look, what to say and how to stop it", async () => {
  agentIn(join(place.folder, "my agent"));
  const { url } = JSON.parse(await firstLine(start(["serve", "--port", "0", "--json", "--no-demo"])));
  const command = start(["dev", "my agent"]);
  await vi.waitFor(() => expect(command.said.out).toContain("Ctrl+C"), patience);
  expect(command.said.out).toContain(`\n  My Agent is on the floor: ${url}/?conversation=`);
  expect(command.said.out).toContain("  Say there:  @My Agent hello\n");
  expect(command.said.out).toContain("my agent | Invite me at http://127.0.0.1:");
});
