// A floor that runs as its owner would run it, with a conversation in which there is something to hide.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Outcome, plenary } from "../cli/plenary.ts";
import { firstLine, type Started, serving } from "../cli/serving.ts";

export type Json = Record<string, unknown>;

export const ann = "tag:people.example,2026:ann";
export const bob = "tag:people.example,2026:bob";
/** Comes when all is said. */
export const cid = "tag:people.example,2026:cid";

export const canary = "kestrel-in-the-attic";
export const mistake = "a-slip-of-the-tongue";
export const formats = ["html", "markdown", "mermaid", "jsonl"] as const;

export type Floor = Awaited<ReturnType<ReturnType<typeof setScene>["open"]>>;

export function setScene() {
  const { place, start } = serving();
  const at = (name: string) => join(place.folder, name);
  return {
    at,
    read: (name: string) => readFileSync(at(name), "utf8"),
    run: (...args: string[]): Outcome => plenary(args, { cwd: place.folder }),
    async open(store = "floor.db") {
      const started = start(["serve", "--port", "0", "--json", "--store", store]);
      const { url, token } = JSON.parse(await firstLine(started)) as { url: string; token: string };
      return { ...callerOf(url, token), url, token, close: () => closed(started) };
    },
  };
}

async function closed({ child, ended }: Started): Promise<void> {
  child.kill("SIGTERM");
  await ended;
}

function callerOf(url: string, token: string) {
  const call = async (method: string, path: string, body?: Json): Promise<Response> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", prefer: "wait=10" };
    return fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  };
  const must = async (method: string, path: string, body?: Json): Promise<Json> => {
    const response = await call(method, path, body);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as Json;
  };
  const send = (id: string, speakerUri: string, ...events: object[]) => {
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri }, events };
    return must("POST", "/openfloor", { openFloor });
  };
  return { call, must, send };
}

let said = 0;

export function utterance(speakerUri: string, text: string, to?: object): object {
  said += 1;
  const dialogEvent = {
    ...{ id: `de:${said}`, speakerUri, span: { startTime: "2026-11-16T10:05:00Z" } },
    features: { text: { mimeType: "text/plain", tokens: [{ value: text }] } },
  };
  return { eventType: "utterance", ...(to && { to }), parameters: { dialogEvent } };
}

const named = (speakerUri: string, conversationalName: string) => ({
  identification: { speakerUri, conversationalName },
});

/** Ann has something erased; Ann, Bob and Echo talk; Ann whispers to Bob; Bob leaves; Cid comes. */
export async function talk({ url, must, send }: Pick<Floor, "url" | "must" | "send">): Promise<string> {
  const root = "/api/v1/conversations";
  const { id } = (await must("POST", root, { owner: named(ann, "Ann"), title: "Birds" })) as { id: string };
  await must("POST", `${root}/${id}/seat`, { ...named(bob, "Bob"), kind: "person" });
  await send(id, ann, utterance(ann, mistake));
  await must("POST", `${root}/${id}/erase`, { seq: 4 });
  await send(id, ann, { eventType: "invite", to: { serviceUrl: `${url}/agents/echo` } });
  await send(id, ann, utterance(ann, "Which bird is this?"));
  await send(id, ann, utterance(ann, `${canary}, tell nobody`, { speakerUri: bob, private: true }));
  await send(id, bob, utterance(bob, "An owl. <b>Really</b>."));
  await send(id, bob, { eventType: "bye" });
  await must("POST", `${root}/${id}/seat`, { ...named(cid, "Cid"), kind: "person" });
  await send(id, cid, utterance(cid, "Good morning."));
  return id;
}
