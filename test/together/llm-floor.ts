// A real floor that hosts a model, with two people at it.
import { once } from "node:events";
import { agentNamed, createLlm } from "@plenary/agents";
import { createDialler } from "@plenary/sdk";
import { createFloorServer, createMemoryStore } from "@plenary/server";
import { WebSocket } from "ws";
import { createCollection } from "../streams/clients.ts";
import { envelopeOf, type Json, utteranceOf, wordsIn } from "../streams/floor.ts";
import type { StubModel } from "./stub-model.ts";

export const ann = "tag:hall.example,2026:ann";
export const bob = "tag:hall.example,2026:bob";
export const carl = "tag:hall.example,2026:carl";

const token = "operators-token";
const conversation = "hall";

type Settings = Partial<Parameters<typeof createLlm>[0]>;
export type Hall = Awaited<ReturnType<typeof openHall>>;

export async function openHall(
  model: StubModel,
  settings: Settings = {},
  { store = createMemoryStore(), port = 0 } = {},
) {
  const dialler = createDialler({ mode: "local" });
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const server = createFloorServer(
    {
      store,
      dialler,
      hostedAgents: {
        names: ["llm", "echo"],
        create: (name, serviceUrl, host) =>
          name === "echo"
            ? agentNamed("echo", { serviceUrl })
            : createLlm({
                ...{
                  baseUrl: model.baseUrl,
                  model: "stub-7b",
                  dialler,
                  onError,
                  serviceUrl,
                  ...host,
                },
                ...settings,
              }),
      },
    },
    { token, drainMs: 0, onError },
  );
  const opened = await server.listen(port);
  const { url } = opened;
  const authorization = `Bearer ${token}`;
  const call = async (path: string, body?: Json) => {
    const response = await fetch(`${url}${path}`, {
      // A connection that is kept would lead to the floor before its restart.
      headers: { authorization, "content-type": "application/json", prefer: "wait=20", connection: "close" },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const llm = `tag:127.0.0.1,2025:${opened.port}:llm`;
  const send = async (as: string, ...events: Json[]): Promise<string[]> => {
    const { consequences = [] } = await call("/openfloor", envelopeOf(conversation, as, events));
    return wordsIn(consequences);
  };
  const named = (speakerUri: string, conversationalName: string) => ({
    identification: { speakerUri, conversationalName },
  });
  const seat = (speakerUri: string, name: string) =>
    call(`/api/v1/conversations/${conversation}/seat`, { ...named(speakerUri, name), kind: "person" });
  return {
    ...{ url, port: opened.port, store, errors, llm, call, send, seat },
    open: async () => {
      await call("/api/v1/conversations", { id: conversation, owner: named(ann, "Ann") });
      await seat(bob, "Bob");
      await send(ann, { eventType: "invite", to: { serviceUrl: `${url}/agents/llm` } });
    },
    /** All that was said in consequence, as the speaker may hear it. */
    say: (as: string, text: string) => send(as, utteranceOf(as, text)),
    whisper: (as: string, text: string) => send(as, utteranceOf(as, text, { to: { speakerUri: llm, private: true } })),
    invite: (name: string) => send(ann, { eventType: "invite", to: { serviceUrl: `${url}/agents/${name}` } }),
    pause: () => call(`/api/v1/conversations/${conversation}/pause`, {}),
    log: async (speaker: string): Promise<string> =>
      JSON.stringify(await call(`/api/v1/conversations/${conversation}/log?${new URLSearchParams({ speaker })}`)),
    watch: (speaker: string) => watch(url.replace("http", "ws"), speaker),
    async close() {
      await server.close();
      await dialler.close();
    },
  };
}

type Draft = { speakerUri: string; dialogEventId: string; delta?: string; end?: string };

/** What one person sees live. */
async function watch(url: string, speaker: string) {
  const query = new URLSearchParams({ speaker, conversation });
  const ws = new WebSocket(`${url}/openfloor/ws?${query}`, { headers: { authorization: `Bearer ${token}` } });
  const frames = createCollection<Json>();
  ws.on("message", (text) => frames.add(JSON.parse(String(text))));
  await once(ws, "open");
  const drafts = (): Draft[] => frames.items.flatMap(({ draft }) => (draft === undefined ? [] : [draft as Draft]));
  return {
    frames: frames.items,
    drafts,
    until: (isIt: (draft: Draft) => boolean, what: string) => frames.until(() => drafts().some(isIt), what),
    async close() {
      ws.close();
      await once(ws, "close");
    },
  };
}
