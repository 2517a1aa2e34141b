import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createDialler } from "@plenary/sdk";
import { afterEach, expect, test } from "vitest";
import { bodyOf, gist, read, said } from "./minimal-floor.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const textOf = (path: string) => readFileSync(join(root, path), "utf8");
const [, code = ""] = /```js\n(.*?)```/su.exec(textOf("packages/sdk/README.md")) ?? [];

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs the built package, as a developer does after installing it. */
async function start(source: string): Promise<void> {
  if (!existsSync(join(root, "packages/sdk/dist/index.js"))) {
    spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "packages/sdk"], { cwd: root });
  }
  const ready = `${source}\nconsole.log("ready");`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", ready], { cwd: root });
  children.push(child);
  await new Promise<void>((resolve, reject) => {
    let complaints = "";
    child.stderr.on("data", (text) => {
      complaints += text;
    });
    child.stdout.once("data", () => resolve());
    child.once("exit", () => reject(new Error(complaints)));
  });
}

test("the agent of both READMEs is the example, in at most fifteen lines", () => {
  expect(textOf("examples/echo/agent.mjs")).toBe(code);
  expect(textOf("README.md")).toContain(`\`\`\`js\n${code}\`\`\``);
  expect(code.trim().split("\n").length).toBeLessThanOrEqual(15);
});

test("the agent has the lines of the contract", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the line of the contract, word for word
  const handler = "const agent = createAgent({ manifest, onUtterance: ({ text }) => `You said: ${text}` });";
  const lines = [
    'import { createAgent, listen } from "@plenary/sdk";',
    handler,
    "await listen(agent, { port: 8080 });",
  ];
  for (const line of lines) expect(code.split("\n")).toContain(line);
});

test("the agent answers over HTTP", async () => {
  const port = await freePort();
  await start(code.replace("8080", String(port)));
  const url = `http://127.0.0.1:${port}/`;
  const { status, body } = await createDialler({ mode: "local" }).dial({ url, body: bodyOf([said("hello")]) });
  expect(status).toBe(200);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  expect(gist(read(Buffer.concat(chunks).toString()).events)).toEqual(["say: You said: hello"]);
});
