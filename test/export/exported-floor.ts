// A floor as its owner runs it, with a conversation that has a whisper and an erased utterance.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ann, bob, cid, type Json, utterance } from "../support/envelopes.ts";
import { type Outcome, plenary } from "../support/plenary-command.ts";
import { runPlenary } from "../support/run-plenary.ts";
import { firstLine, type Started, usePlenaryProcesses } from "../support/start-plenary-process.ts";
import { createFloorClient, named } from "../support/start-test-floor.ts";

export const canary = "kestrel-in-the-attic";
export const mistake = "a-slip-of-the-tongue";
export const formats = ["html", "markdown", "mermaid", "jsonl"] as const;

export type Floor = Awaited<ReturnType<ReturnType<typeof useExportedFloor>["open"]>>;

export function useExportedFloor() {
  const { place, start } = usePlenaryProcesses();
  const at = (name: string) => join(place.folder, name);
  return {
    at,
    read: (name: string) => readFileSync(at(name), "utf8"),
    runProcess: (...args: string[]): Outcome => plenary(args, { cwd: place.folder }),
    run: (...args: string[]): Promise<Outcome> => runPlenary(args, { cwd: place.folder }),
    async open(store = "floor.db") {
      const started = start(["serve", "--port", "0", "--json", "--store", store]);
      const { url, token } = JSON.parse(await firstLine(started)) as { url: string; token: string };
      return { ...clientOf(url, token), url, token, close: () => closed(started) };
    },
  };
}

async function closed({ child, ended }: Started): Promise<void> {
  child.kill("SIGTERM");
  await ended;
}

function clientOf(url: string, token: string) {
  const { call, must, send } = createFloorClient(url, token);
  return {
    call,
    must: (method: string, path: string, body?: Json): Promise<Json> => must(method, path, body),
    send: async (id: string, as: string, ...events: object[]) => {
      const { status, text } = await send(id, events, { as });
      if (status !== 200) throw new Error(text);
    },
  };
}

/** Ann erases an utterance; Ann, Bob and Echo talk; Ann whispers to Bob; Bob leaves; Cid joins last. */
export async function talk({ url, must, send }: Pick<Floor, "url" | "must" | "send">): Promise<string> {
  const root = "/api/v1/conversations";
  const { id } = (await must("POST", root, { owner: named(ann, "Ann"), title: "Birds" })) as { id: string };
  await must("POST", `${root}/${id}/seat`, { ...named(bob, "Bob"), kind: "person" });
  await send(id, ann, utterance(ann, mistake));
  await must("POST", `${root}/${id}/erase`, { seq: 4 });
  await send(id, ann, { eventType: "invite", to: { serviceUrl: `${url}/agents/echo` } });
  await send(id, ann, utterance(ann, "Which bird is this?"));
  await send(id, ann, utterance(ann, `${canary}, tell nobody`, { to: { speakerUri: bob, private: true } }));
  await send(id, bob, utterance(bob, "An owl. <b>Really</b>."));
  await send(id, bob, { eventType: "bye" });
  await must("POST", `${root}/${id}/seat`, { ...named(cid, "Cid"), kind: "person" });
  await send(id, cid, utterance(cid, "Good morning."));
  return id;
}
