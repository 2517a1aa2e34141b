// From an empty folder to a new agent, as a new developer does it: outside the checkout, with the real npm.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { firstLine, runIn, usePlenaryProcesses } from "../support/start-plenary-process.ts";
import { personAt, waitForLine } from "./agent-development.ts";

const { place, start } = usePlenaryProcesses();
const files = [".gitignore", "README.md", "agent.js", "agent.test.js", "package.json"];

/** The commands that docs/agents.md gives to new developers. */
function documentedCommands(): string[][] {
  const document = readFileSync(join(import.meta.dirname, "../../docs/agents.md"), "utf8");
  const [, block = ""] = /^## Your own agent in five minutes\n[^#]*?```sh\n(.*?)```/msu.exec(document) ?? [];
  const commands = [...block.matchAll(/^npx plenary (.*?)\s+#/gmu)];
  return commands.map(([, words = ""]) => words.split(" "));
}

test("a new agent is installed, passes its own test, has under 60 lines, and joins a floor in one command", async () => {
  const [create = [], dev = [], ...more] = documentedCommands();
  expect([create[0], dev[0], more]).toEqual(["new-agent", "dev", []]);
  const checkout = join(place.folder, "my agents", "checkout");
  mkdirSync(checkout, { recursive: true });
  const type = (args: readonly string[]) => start(args, {}, checkout);
  const floor = type(["serve", "--port", "0", "--json", "--no-demo"]);
  const made = type([...create, "--name", 'The "First" $& Agent', "--json"]);
  expect([await made.ended, made.said.err]).toEqual([0, expect.stringContaining("added")]);
  const { folder, ...report } = JSON.parse(made.said.out);
  expect(report).toMatchObject({ name: 'The "First" $& Agent', slug: "my-agent", installed: true });
  expect([...report.files].sort()).toEqual(files);
  const lines = ["agent.js", "agent.test.js"].map(
    (file) => readFileSync(join(folder, file), "utf8").split("\n").length,
  );
  expect(lines.reduce((sum, count) => sum + count - 1, 0)).toBeLessThan(60);
  // Its dependencies are installed: nothing refers to the checkout.
  expect(readFileSync(join(folder, "package-lock.json"), "utf8")).toContain('"resolved": "file:vendor/plenary-sdk-');

  const tested = await runIn(folder, "npm", ["test"]);
  expect([tested.exitCode, tested.output]).toEqual([0, expect.stringMatching(/^# pass 3$/mu)]);

  const person = await personAt(JSON.parse(await firstLine(floor)));
  const { conversation = "", name } = await waitForLine(type([...dev, "--json"]), "joined");
  expect(name).toBe('The "First" $& Agent');
  await person.say(conversation, `@${name} good morning`);
  await person.hears(conversation, "You said: good morning");
});

test("without the registry the files are written, and the next steps are printed", async () => {
  const offline = { npm_config_offline: "true", npm_config_cache: join(place.folder, "no cache") };
  const made = start(["new-agent", "bot"], offline);
  expect(await made.ended).toBe(1);
  expect(made.said.err).toContain("plenary: npm install failed: npm ended with 1\n");
  expect(made.said.err).toContain("finish with: cd bot && npm install\n");
  expect(readdirSync(join(place.folder, "bot"))).toEqual(expect.arrayContaining([...files, "vendor"]));
});

test("a folder that is not empty is not changed", async () => {
  mkdirSync(join(place.folder, "bot"));
  for (const name of ["a", "b", "c", "d", "e"]) writeFileSync(join(place.folder, "bot", name), name);
  const made = start(["new-agent", "bot"]);
  expect(await made.ended).toBe(1);
  expect(made.said.err).toBe(
    "plenary: bot is not empty: it has a, b, c, d and 1 more; give another folder, or empty it. Nothing was written.\n",
  );
  expect(readdirSync(join(place.folder, "bot"))).toEqual(["a", "b", "c", "d", "e"]);
});

test.each([
  [["new-agent"], "missing required argument 'dir'"],
  [["new-agent", "file"], "cannot write file: there is a file of that name: give a folder"],
  [["new-agent", "bot", "--name", "\u0007"], "A name has 1 to 60 characters on one line"],
])("%j is refused", async (args, problem) => {
  writeFileSync(join(place.folder, "file"), "");
  const made = start(args);
  expect(await made.ended).toBe(2);
  expect(made.said.err).toContain(problem);
  expect(readdirSync(place.folder)).toEqual(["file"]);
});
