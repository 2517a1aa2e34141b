// A floor in a separate process, for chats.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll } from "vitest";
import { utterance } from "../support/envelopes.ts";
import { type Cue, endScriptedAgents, startScriptedAgent } from "../support/scripted-agent.ts";
import { createProcesses, type Processes } from "../support/start-plenary-process.ts";

/** One floor for all tests of a file; a chat in its folder finds it. Agents end with their test. */
export function useChatFloor() {
  const place = { folder: "", url: "", token: "", port: 0 };
  let processes: Processes | undefined;
  let stop: ((signal: NodeJS.Signals) => Promise<void>) | undefined;
  const open = async () => {
    const started = await processes?.startPlenary(["serve", "--port", String(place.port), "--json", "--no-demo"]);
    stop = started?.stop;
    Object.assign(place, started?.said);
  };
  const kill = async () => {
    await stop?.("SIGKILL");
    stop = undefined;
  };
  beforeAll(async () => {
    processes = createProcesses();
    place.folder = processes.folder;
    place.port = await freePort();
    await open();
  });
  afterEach(endScriptedAgents);
  afterAll(() => processes?.close());
  return { place, open, kill };
}

/** A port that was free a moment ago: a floor that is killed starts again at the same one. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** An agent that repeats each utterance and keeps the requests. */
export async function parrot(name: string) {
  const heard: Cue[] = [];
  const agent = await startScriptedAgent({
    name,
    onUtterance: (cue) => {
      heard.push(cue);
      cue.answer(utterance(agent.speakerUri, `${name} heard: ${cue.text}`, { startTime: new Date().toISOString() }));
    },
  });
  return { ...agent, heard };
}

/** How often `wanted` occurs in the text. */
export function times(text: string, wanted: string): number {
  return text.split(wanted).length - 1;
}
