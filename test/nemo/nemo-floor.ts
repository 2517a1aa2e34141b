// A test floor with its guarded defaults, and NeMo clients that connect to it.
import { afterAll, beforeAll, expect } from "vitest";
import { type Json, utterance } from "../support/envelopes.ts";
import { startTestFloor, type TestFloorOptions } from "../support/start-test-floor.ts";
import { openSocket } from "../support/test-client.ts";
import { type Asked, postTo } from "./http-client.ts";
import { type Cue, createScriptedAgents, type ScriptedAgent } from "./scripted-agents.ts";
import { type ClientOptions, openClient, type StockClient } from "./stock-client.ts";

export type NemoFloor = Awaited<ReturnType<typeof startNemoFloor>>;

type Visit = Omit<ClientOptions, "url"> & { agents?: readonly Pick<ScriptedAgent, "url">[] };

export async function startNemoFloor(options: TestFloorOptions = {}) {
  const floor = await startTestFloor(options);
  const clients: StockClient[] = [];
  const { url } = floor;
  return {
    ...floor,
    /** A client at this floor. `agents` are invited when its conversation is new. */
    async visit({ agents, query, ...more }: Visit = {}): Promise<StockClient> {
      const invited = agents && { agents: agents.map((agent) => agent.url).join(",") };
      const client = await openClient({ url, ...more, query: { ...invited, ...query } });
      clients.push(client);
      return client;
    },
    /** An agent speaks without being asked. Settles when the utterance is in the log. */
    unasked: (conversation: string, { speakerUri }: Pick<ScriptedAgent, "speakerUri">, text: string) =>
      floor.must("POST", "/openfloor", {
        openFloor: {
          schema: { version: "1.1.0" },
          conversation: { id: conversation },
          sender: { speakerUri },
          events: [utterance(speakerUri, text)],
        },
      }),
    /** Another stream of the same person, by which a test knows when the floor has received a part of a draft. */
    async onlooker({ conversation, from }: Pick<Cue, "conversation" | "from">) {
      const { ws, raw, frames } = await openSocket(floor, { conversation, speaker: from });
      return {
        /** All frames in one text. */
        all: () => raw.join("\n"),
        saw: (words: string) => frames.until(() => raw.some((frame) => frame.includes(words)), words),
        close: () => ws.terminate(),
      };
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await floor.server.close();
    },
    /** Closes the floor only: its clients lose their connections. */
    shut: floor.server.close,
  };
}

/** One floor and scripted agents for all tests of a file. The floor must have reported no error in the end. */
export function useNemoFloor(start: () => TestFloorOptions | Promise<TestFloorOptions> = () => ({})) {
  const agents = createScriptedAgents();
  let floor: NemoFloor | undefined;
  beforeAll(async () => {
    floor = await startNemoFloor(await start());
  });
  afterAll(async () => {
    await floor?.close();
    await agents.close();
    expect(floor?.errors).toEqual([]);
  });
  const started = (): NemoFloor => {
    if (floor === undefined) throw new Error("the floor starts before the first test of the file");
    return floor;
  };
  return {
    agents,
    get floor(): NemoFloor {
      return started();
    },
    echo: (name = "Alice") => agents.start(name, (cue) => cue.say(`you said ${cue.text}`)),
    url: () => started().url,
    log: (conversation: string) => started().log(conversation),
    post: (asked: Asked) => postTo(started(), asked),
    stateOf: (conversation: string): Promise<Json> => started().state(conversation),
  };
}

/** The text without the agent's name: a client may or may not show the name of a single agent. */
export function wordsOf(text: string, name: string): string {
  return text.replaceAll(`**${name}:**`, "").trim();
}
