// A NeMo server invited to a real floor: the bridge is an agent served over HTTP, as `plenary agent nemo` serves it.
import { createNemoAgent } from "@plenary/agents";
import { createDialler, listen } from "@plenary/sdk";
import { onTestFinished, vi } from "vitest";
import { ann, bob, envelopeOf, type Json, textOf, utterance } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { openSocket } from "../support/test-client.ts";
import { patience, waitFor } from "../support/wait-for.ts";
import type { Workflow } from "./stock-run.ts";
import { startStockServer } from "./stock-server.ts";

const conversation = "table";
const path = `/api/v1/conversations/${conversation}`;
const names = new Map([
  [ann, "Ann"],
  [bob, "Bob"],
]);
const replyMimeType = "application/vnd.plenary.interaction+json";

type NemoSettings = Parameters<typeof createNemoAgent>[0];
type Setting = {
  stock?: Parameters<typeof startStockServer>[1];
  bridge?: Partial<NemoSettings>;
  floor?: Parameters<typeof startTestFloor>[0];
};

type Question = { id: string; input_type: string; text: string; options?: Json[] } & Json;
type Draft = { dialogEventId: string; delta?: string; end?: string } & Json;
export type Bridge = Awaited<ReturnType<typeof startBridgeFloor>>;

/** Ann owns the conversation, Bob has a seat, no agent is invited yet. All of it ends with the test. */
export async function startBridgeFloor(workflow: Workflow, { stock: stockSetting, bridge, floor = {} }: Setting = {}) {
  const stock = await startStockServer(workflow, stockSetting);
  const dialler = createDialler({ mode: "local" });
  const troubles: unknown[] = [];
  const agent = createNemoAgent({
    url: stock.url,
    name: "Flow",
    dialler,
    onError: (error: unknown) => troubles.push(error),
    ...bridge,
  });
  let requests = 0;
  const fetched: typeof agent.fetch = (request) => {
    requests += 1;
    return agent.fetch(request);
  };
  const listening = await listen({ ...agent, fetch: fetched }, { port: 0 });
  const at = await startFloorForAgent(listening.url, floor);
  onTestFinished(async () => {
    await at.close();
    await listening.close();
    agent.close();
    await dialler.close();
    await stock.close();
  });
  return {
    ...at,
    stock,
    troubles,
    url: listening.url,
    /** Runs `happens` and waits until the bridge got a delivery and processed it. */
    async delivered(happens: () => Promise<unknown>) {
      const before = requests;
      await happens();
      await waitFor(() => requests > before, "a delivery to the bridge");
      const events = [{ eventType: "getManifests", to: { serviceUrl: listening.url } }];
      const body = JSON.stringify(envelopeOf("elsewhere", ann, events));
      await fetch(listening.url, { method: "POST", body });
    },
  };
}

/** The floor alone, for an agent that the test serves. */
export async function startFloorForAgent(agentUrl: string, options: Setting["floor"] = {}) {
  const floor = await startTestFloor(options);
  const speakers = new Map(names);
  const owner = { identification: { speakerUri: ann, conversationalName: "Ann" } };
  await floor.call("POST", "/api/v1/conversations", { id: conversation, owner });
  await floor.call("POST", `${path}/seat`, {
    identification: { speakerUri: bob, conversationalName: "Bob" },
    kind: "person",
  });
  const flow = () => [...speakers].find(([, name]) => name === "Flow")?.[0] ?? "";
  const send = async (as: string, events: object[], wait = 0) => {
    const answered = await floor.send(conversation, events, { as, wait });
    if (answered.status !== 200 || answered.body.refused !== undefined) throw new Error(JSON.stringify(answered.body));
    return answered;
  };
  const toFlow = (isPrivate = false) => ({ speakerUri: flow(), ...(isPrivate && { private: true }) });
  return {
    testFloor: floor,
    send,
    flow,
    ...readingsOf(floor, speakers),
    /** Invites the agent, and returns its identity. */
    async invite() {
      await send(ann, [{ eventType: "invite", to: { serviceUrl: agentUrl } }], 15);
      const { conversants } = (await floor.call("GET", path)).body;
      const seated = (conversants as { identification: { speakerUri: string } }[]).map((one) => one.identification);
      for (const { speakerUri } of seated) speakers.set(speakerUri, speakers.get(speakerUri) ?? "Flow");
    },
    /** Speaks to the agent in public; with `wait`, returns when no answer is awaited. */
    ask: (as: string, text: string, { wait = 0, isWhisper = false } = {}) =>
      send(as, [utterance(as, text, { to: toFlow(isWhisper) })], wait),
    /** Speaks in public, without an addressee. */
    say: (as: string, text: string, to?: Json) => send(as, [utterance(as, text, { to })], 15),
    /** Answers by choosing an option, as a page does. */
    async choose(as: string, { id }: Question, values: readonly string[]) {
      const event = utterance(as, values.join(", "), { to: toFlow(true) });
      const { dialogEvent } = event.parameters as { dialogEvent: { features: Json } };
      dialogEvent.features.interactionReply = { mimeType: replyMimeType, tokens: [{ value: { id, values } }] };
      await send(as, [event]);
    },
    watch: (speaker: string) => watch(floor, speaker),
    close: floor.close,
  };
}

/** What each of them may see in the log, utterances as `Name: words` and `Name (private): words`. */
function readingsOf(floor: TestFloor, speakers: ReadonlyMap<string, string>) {
  const lines = async (speaker: string) => {
    const entries = await floor.log(conversation, speaker);
    return entries.flatMap(({ kind, sender = "", event }) => {
      if (kind !== "event" || event === undefined) return [];
      const who = `${speakers.get(sender) ?? sender}${event.to?.private === true ? " (private)" : ""}`;
      if (event.eventType === "utterance") return [`${who}: ${textOf(event)}`];
      return [`${who} ${event.eventType}${event.reason === undefined ? "" : ` ${event.reason}`}`];
    });
  };
  const events = async (speaker: string) =>
    (await floor.log(conversation, speaker)).flatMap(({ kind, event }) => (kind === "event" && event) || []);
  const questions = async (speaker: string): Promise<Question[]> => {
    const all = (await events(speaker)).flatMap((event) => featureOf(event, "interaction") ?? []) as Question[];
    return all.filter(({ input_type: type }) => type !== "notification");
  };
  return {
    lines,
    events,
    questions,
    sees: (speaker: string, words: string | RegExp) =>
      vi.waitFor(async () => {
        const all = await lines(speaker);
        const found = all.find((line) => (typeof words === "string" ? line === words : words.test(line)));
        if (found === undefined) throw new Error(`${speaker} does not see ${words}, but:\n${all.join("\n")}`);
        return found;
      }, patience),
    /** Waits for the question with this number to a speaker. */
    asked: (speaker: string, number = 1): Promise<Question> =>
      vi.waitFor(async () => {
        const all = await questions(speaker);
        const one = all[number - 1];
        if (one === undefined) throw new Error(`${all.length} questions:\n${(await lines(speaker)).join("\n")}`);
        return one;
      }, patience),
  };
}

/** The live stream of one person. */
async function watch(floor: TestFloor, speaker: string) {
  const { ws, frames } = await openSocket(floor, { speaker, conversation });
  onTestFinished(() => ws.terminate());
  const drafts = () => frames.items.flatMap(({ draft }) => (draft === undefined ? [] : [draft as Draft]));
  return {
    async draft(isIt: (draft: Draft) => boolean, what: string): Promise<Draft> {
      await frames.until(() => drafts().some(isIt), what);
      return drafts().find(isIt) as Draft;
    },
    /** All received frames, in one text. */
    all: () => frames.items.map((frame) => JSON.stringify(frame)).join("\n"),
    saw: (words: string) =>
      frames.until((all) => all.some((frame) => JSON.stringify(frame).includes(words)), JSON.stringify(words)),
    /** Waits until the drafts together contain the words. */
    grown: (words: string) =>
      frames.until(
        () =>
          drafts()
            .map(({ delta = "" }) => delta)
            .join("")
            .includes(words),
        `"${words}" in drafts`,
      ),
  };
}

export function featureOf(event: Json | object | undefined, name: string): unknown {
  const { parameters } = (event ?? {}) as { parameters?: { dialogEvent?: { features?: Record<string, Json> } } };
  return (parameters?.dialogEvent?.features?.[name]?.tokens as { value: unknown }[] | undefined)?.[0]?.value;
}

/** A clock that the test moves. */
export function handClock() {
  let now = Date.now();
  const rings = new Set<{ atMs: number; ring: () => void }>();
  return {
    now: () => now,
    after(ms: number, ring: () => void) {
      const one = { atMs: now + ms, ring };
      rings.add(one);
      return () => void rings.delete(one);
    },
    advance(ms: number) {
      now += ms;
      for (const one of [...rings]) if (one.atMs <= now && rings.delete(one)) one.ring();
    },
  };
}
