// A test floor with one conversation, its ready-made conveners, people, and agents that are plain HTTP servers.
import { agentNamed, agentNames, type ReadyMadeOptions } from "@plenary/agents";
import type { Agent as ReadyMade } from "@plenary/sdk";
import { expect } from "vitest";
import { ann, textOf, utterance } from "../support/envelopes.ts";
import type { Agent } from "../support/http-agent.ts";
import { type Entry, named, startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";

export type ConvenedFloor = Awaited<ReturnType<typeof startConvenedFloor>>;

type Options = {
  /** The path of a hosted convener, as `convener-queue`. */
  convener?: string;
  /** Conveners of the test, hosted beside the ready-made ones: with shorter limits, for example. */
  others?: Readonly<Record<string, (options: ReadyMadeOptions) => ReadyMade>>;
  /** Seated beside Ann, the owner, before the convener is appointed. */
  people?: readonly string[];
  /** Fields of the new conversation. */
  options?: Readonly<Record<string, unknown>>;
};

const conversation = "c";
const people = "tag:people.example,2026:";
const api = `/api/v1/conversations/${conversation}`;

/** Conversants have a first name in lower case: `ann` owns the conversation. */
export async function startConvenedFloor({ convener, others = {}, people: guests = [], options = {} }: Options = {}) {
  const testFloor = await startTestFloor({
    hostedAgents: {
      names: [...agentNames, ...Object.keys(others)],
      create: (name, serviceUrl, host) =>
        others[name]?.({ serviceUrl, ...host }) ?? agentNamed(name, { serviceUrl, ...host }),
    },
  });
  const names = createNames();
  const { must } = testFloor;
  const readings = readingsOf(testFloor, names);
  const floor = {
    testFloor,
    url: testFloor.url,
    errors: testFloor.errors,
    must: (path: string, body: object) => must("POST", path, body),
    ...names,
    ...readings,
    ...actionsOf(testFloor, names),
    seat: (name: string) => must("POST", `${api}/seat`, named(names.speakerOf(name), name)),
    /** Appoints a convener of this floor, or one at a URL, and waits until it has finished its first events. */
    convene: async (name: string) => {
      const serviceUrl = name.startsWith("http") ? name : `${testFloor.url}/agents/${name}`;
      const before = (await testFloor.log(conversation)).length;
      await must("POST", `${api}/convener`, { serviceUrl });
      await readings.until((all) => all.slice(before).some((one) => one.kind === "role" && one.role === "convener"));
      await readings.quiet();
    },
    removeConvener: () => must("POST", `${api}/convener`, {}),
    close: testFloor.close,
  };
  await must("POST", "/api/v1/conversations", { id: conversation, owner: named(ann, "Ann"), ...options });
  for (const name of guests) await floor.seat(name);
  if (convener !== undefined) await floor.convene(convener);
  return floor;
}

type Names = ReturnType<typeof createNames>;

function createNames() {
  const agents = new Map<string, string>();
  return {
    agents,
    speakerOf: (name: string) => agents.get(name) ?? `${people}${name}`,
    nameOf: (speakerUri: unknown) => {
      const uri = String(speakerUri);
      const agent = [...agents].find(([, one]) => one === uri)?.[0];
      return agent ?? (uri.startsWith(people) ? uri.slice(people.length) : (uri.split(":").at(-1) ?? uri));
    },
  };
}

/** Events that conversants send. */
function actionsOf(floor: TestFloor, { agents, speakerOf }: Names) {
  const act = async (name: string, ...events: object[]) =>
    (await floor.send(conversation, events, { as: speakerOf(name) })).body;
  return {
    act,
    /** Ann invites an agent of the test. */
    bring: (name: string, { speakerUri, url: serviceUrl }: Agent) => {
      agents.set(name, speakerUri);
      return act("ann", { eventType: "invite", to: { serviceUrl, speakerUri } });
    },
    say: (name: string, text: string, to?: string) =>
      act(name, utterance(speakerOf(name), text, to === undefined ? {} : { to: { speakerUri: speakerOf(to) } })),
    request: (name: string) => act(name, { eventType: "requestFloor" }),
    yields: (name: string) => act(name, { eventType: "yieldFloor" }),
    about: (name: string, eventType: string, target: string) =>
      act(name, { eventType, to: { speakerUri: speakerOf(target) } }),
  };
}

type State = {
  floorGranted: string[];
  assignedFloorRoles: { convener?: string[] };
  conversants: { identification: { speakerUri: string } }[];
  awaited?: string[];
};

/** Reads the log and the state of the floor. */
function readingsOf(floor: TestFloor, { speakerOf, nameOf }: Names) {
  const log = (reader = "ann") => floor.log(conversation, speakerOf(reader));
  const state = async () => (await floor.state(conversation)) as unknown as State;
  const happened = async (reader?: string) =>
    (await log(reader)).flatMap((entry) =>
      entry.kind === "event" && entry.event ? [{ ...entry, ...entry.event }] : [],
    );
  return {
    log,
    state,
    until: (isThere: (entries: Entry[]) => boolean) => floor.until(conversation, isThere),
    present: async () => (await state()).conversants.map(({ identification }) => nameOf(identification.speakerUri)),
    /** Holders of the floor without the owner, who keeps it, and the conveners, which need none. */
    speakers: async () =>
      (await state()).floorGranted.map(nameOf).filter((name) => name !== "ann" && !name.startsWith("convener-")),
    convener: async () => (await state()).assignedFloorRoles.convener?.map(nameOf)[0],
    /** Public utterances with their speakers: `ben: hello`. */
    heard: async () =>
      (await happened()).flatMap(({ event, to, parameters }) => {
        const text = to?.private === true ? undefined : textOf(event);
        const { speakerUri } = (parameters?.dialogEvent ?? {}) as { speakerUri?: string };
        return text === undefined ? [] : [`${nameOf(speakerUri)}: ${text}`];
      }),
    /** Whispers to this conversant. */
    whispers: async (name: string) =>
      (await happened(name)).flatMap(({ event, to, sender }) =>
        to?.private === true && sender !== speakerOf(name) ? [textOf(event) ?? ""] : [],
      ),
    /** Floor grants, revocations and removals with their reasons: `revokeFloor ben: @timedOut ...`. */
    rulings: async () =>
      (await happened()).flatMap(({ eventType, to, reason, because }) => {
        const isOne = ["grantFloor", "revokeFloor", "uninvite"].includes(eventType) && because !== "convener/told";
        return isOne ? [`${eventType} ${nameOf(to?.speakerUri)}${reason === undefined ? "" : `: ${reason}`}`] : [];
      }),
    refusals: async (name: string) =>
      (await log(name)).flatMap(({ kind, because }) => (kind === "refused" ? [because] : [])),
    /** Waits until the floor awaits no answer. */
    quiet: () => expect.poll(async () => (await state()).awaited ?? [], patience).toEqual([]),
  };
}
