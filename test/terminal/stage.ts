// A floor in a process of its own, to chat on.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll } from "vitest";
import { type Cue, endScriptedAgents, startScriptedAgent, utterance } from "../browser/scripted-agent.ts";
import { environment, main } from "../cli/plenary.ts";

/** One floor for all tests of a file; a chat in its folder finds it by itself. Agents end with their test. */
export function stage() {
  const place = { folder: "", url: "", token: "", port: 0 };
  let floor: ChildProcess | undefined;
  const open = async () => {
    const child = spawn(process.execPath, [main, "serve", "--port", String(place.port), "--json", "--no-demo"], {
      ...{ cwd: place.folder, env: environment(), stdio: ["ignore", "pipe", "inherit"] },
    });
    floor = child;
    const [line] = await once(child.stdout, "data");
    Object.assign(place, JSON.parse(String(line)));
  };
  const kill = async () => {
    if (floor === undefined || floor.exitCode !== null || floor.signalCode !== null) return;
    const ended = once(floor, "close");
    floor.kill("SIGKILL");
    await ended;
  };
  beforeAll(async () => {
    place.folder = mkdtempSync(join(tmpdir(), "plenary-chat-"));
    place.port = await freePort();
    await open();
  });
  afterEach(endScriptedAgents);
  afterAll(async () => {
    await kill();
    rmSync(place.folder, { recursive: true });
  });
  return { place, open, kill };
}

/** One that was free a moment ago: a floor that is killed comes back at the same one. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** An agent that says what it heard, and remembers it. */
export async function parrot(name: string) {
  const heard: Cue[] = [];
  const agent = await startScriptedAgent({
    name,
    onUtterance: (cue) => {
      heard.push(cue);
      cue.answer(utterance(agent.speakerUri, `${name} heard: ${cue.text}`));
    },
  });
  return { ...agent, heard };
}

/** How often a text stands somewhere. */
export function times(text: string, wanted: string): number {
  return text.split(wanted).length - 1;
}
