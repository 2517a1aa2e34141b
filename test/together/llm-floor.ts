// A test floor that hosts an agent with a model, and two people.
import { agentNamed, createLlm } from "@plenary/agents";
import { createDialler } from "@plenary/sdk";
import { createMemoryStore } from "@plenary/server";
import { ann, bob, envelopeOf, type Json, utterance, wordsIn } from "../support/envelopes.ts";
import { named, startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import type { StubModel } from "../support/stub-model.ts";
import { openSocket } from "../support/test-client.ts";

export const carl = "tag:people.example,2026:carl";

const conversation = "c";

type Settings = Partial<Parameters<typeof createLlm>[0]>;
export type LlmFloor = Awaited<ReturnType<typeof startLlmFloor>>;

export async function startLlmFloor(
  model: StubModel,
  settings: Settings = {},
  { store = createMemoryStore(), port = 0 } = {},
) {
  const dialler = createDialler({ mode: "local" });
  const { baseUrl } = model;
  const floor = await startTestFloor({
    retries: "default",
    store,
    port,
    dialler,
    hostedAgents: {
      names: ["llm", "echo"],
      create: (name, serviceUrl, host) =>
        name === "echo"
          ? agentNamed("echo", { serviceUrl })
          : createLlm({
              baseUrl,
              model: "stub-7b",
              dialler,
              onError: (error) => floor.errors.push(error),
              serviceUrl,
              ...host,
              ...settings,
            }),
    },
  });
  const { url, errors } = floor;
  const call = (path: string, body?: Json) =>
    // A kept connection would lead to the floor from before the restart.
    floor.must(body === undefined ? "GET" : "POST", path, body, { prefer: "wait=20", connection: "close" });
  const llm = `tag:127.0.0.1,2025:${floor.port}:llm`;
  const send = async (as: string, ...events: Json[]): Promise<string[]> => {
    const { consequences = [] } = await call("/openfloor", envelopeOf(conversation, as, events));
    return wordsIn(consequences);
  };
  const seat = (speakerUri: string, name: string) =>
    call(`/api/v1/conversations/${conversation}/seat`, { ...named(speakerUri, name), kind: "person" });
  return {
    url,
    port: floor.port,
    store,
    errors,
    llm,
    call,
    send,
    seat,
    open: async () => {
      await call("/api/v1/conversations", { id: conversation, owner: named(ann, "Ann") });
      await seat(bob, "Bob");
      await send(ann, { eventType: "invite", to: { serviceUrl: `${url}/agents/llm` } });
    },
    /** All answers, as the speaker may see them. */
    say: (as: string, text: string) => send(as, utterance(as, text)),
    whisper: (as: string, text: string) => send(as, utterance(as, text, { to: { speakerUri: llm, private: true } })),
    invite: (name: string) => send(ann, { eventType: "invite", to: { serviceUrl: `${url}/agents/${name}` } }),
    pause: () => call(`/api/v1/conversations/${conversation}/pause`, {}),
    log: async (speaker: string): Promise<string> =>
      JSON.stringify(await call(`/api/v1/conversations/${conversation}/log?${new URLSearchParams({ speaker })}`)),
    watch: (speaker: string) => watch(floor, speaker),
    async close() {
      await floor.close();
      await dialler.close();
    },
  };
}

type Draft = { speakerUri: string; dialogEventId: string; delta?: string; end?: string };

/** The live stream of one person. */
async function watch(floor: TestFloor, speaker: string) {
  const { frames, close } = await openSocket(floor, { speaker, conversation });
  const drafts = (): Draft[] => frames.items.flatMap(({ draft }) => (draft === undefined ? [] : [draft as Draft]));
  return {
    frames: frames.items,
    drafts,
    until: (isIt: (draft: Draft) => boolean, what: string) => frames.until(() => drafts().some(isIt), what),
    close,
  };
}
