// A real floor with its ready-made conveners, people who come over its interfaces, and agents that are plain HTTP servers.
import { agentNamed, agentNames, type ReadyMadeOptions } from "@plenary/agents";
import type { Agent as ReadyMade } from "@plenary/sdk";
import { expect } from "vitest";
import { type Agent, utterance } from "../floor/agents.ts";
import { ann, patience, startWorld, textOf, type World } from "../floor/world.ts";

export type Stage = Awaited<ReturnType<typeof openStage>>;
type Entry = Awaited<ReturnType<World["log"]>>[number];

type Play = {
  /** The path of a hosted convener, as `convener-queue`. */
  convener?: string;
  /** Conveners of the test's own, hosted beside the ready-made ones: with shorter limits, for example. */
  others?: Readonly<Record<string, (options: ReadyMadeOptions) => ReadyMade>>;
  /** Who is there beside Ann, the owner, before the convener comes. */
  people?: readonly string[];
  options?: Readonly<Record<string, unknown>>;
};

const conversation = "c";
const people = "tag:people.example,2026:";
const api = `/api/v1/conversations/${conversation}`;

/** Everybody is called by a first name in lower case: `ann` owns the conversation. */
export async function openStage({ convener, others = {}, people: guests = [], options = {} }: Play = {}) {
  const world = await startWorld({
    hostedAgents: {
      names: [...agentNames, ...Object.keys(others)],
      create: (name, serviceUrl, host) =>
        others[name]?.({ serviceUrl, ...host }) ?? agentNamed(name, { serviceUrl, ...host }),
    },
  });
  const cast = createCast();
  const must = async (path: string, body: object) => {
    const { status, body: answered } = await world.call("POST", path, body);
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(answered)}`);
    return answered;
  };
  const sight = watching(world, cast);
  const deeds = acting(world, cast);
  const stage = {
    ...{ world, url: world.url, must },
    ...{ ...cast, ...sight, ...deeds },
    seat: (name: string) =>
      must(`${api}/seat`, { identification: { speakerUri: cast.speakerOf(name), conversationalName: name } }),
    /** Puts a convener of this floor, or of any address, into the chair, and waits until it has done what it does there. */
    convene: async (name: string) => {
      const serviceUrl = name.startsWith("http") ? name : `${world.url}/agents/${name}`;
      const before = (await world.log(conversation)).length;
      await must(`${api}/convener`, { serviceUrl });
      await sight.until((all) => all.slice(before).some((one) => one.kind === "role" && one.role === "convener"));
      await sight.quiet();
    },
    strip: () => must(`${api}/convener`, {}),
    close: world.close,
  };
  const owner = { identification: { speakerUri: ann, conversationalName: "Ann" } };
  await must("/api/v1/conversations", { id: conversation, owner, ...options });
  for (const name of guests) await stage.seat(name);
  if (convener !== undefined) await stage.convene(convener);
  return stage;
}

type Cast = ReturnType<typeof createCast>;

function createCast() {
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

/** What those on the stage do. */
function acting(world: World, { agents, speakerOf }: Cast) {
  const act = async (name: string, ...events: object[]) =>
    (await world.send(conversation, events, { as: speakerOf(name) })).body;
  return {
    act,
    /** Ann invites an agent of the test's own. */
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

/** What comes of it, as the log and the floor tell. */
function watching(world: World, { speakerOf, nameOf }: Cast) {
  const log = (reader = "ann") => world.log(conversation, speakerOf(reader));
  const state = async () => (await world.state(conversation)) as unknown as State;
  const happened = async (reader?: string) =>
    (await log(reader)).flatMap((entry) =>
      entry.kind === "event" && entry.event ? [{ ...entry, ...entry.event }] : [],
    );
  return {
    log,
    state,
    until: (isThere: (entries: Entry[]) => boolean) => world.until(conversation, isThere),
    present: async () => (await state()).conversants.map(({ identification }) => nameOf(identification.speakerUri)),
    /** Who has the floor, but for the owner, who keeps it, and the conveners, which need none. */
    speakers: async () =>
      (await state()).floorGranted.map(nameOf).filter((name) => name !== "ann" && !name.startsWith("convener-")),
    convener: async () => (await state()).assignedFloorRoles.convener?.map(nameOf)[0],
    /** What was said for everybody to hear, and whose words they are: `ben: hello`. */
    heard: async () =>
      (await happened()).flatMap(({ event, to, parameters }) => {
        const text = to?.private === true ? undefined : textOf(event);
        const { speakerUri } = (parameters?.dialogEvent ?? {}) as { speakerUri?: string };
        return text === undefined ? [] : [`${nameOf(speakerUri)}: ${text}`];
      }),
    /** What somebody was told by others in whispers. */
    whispers: async (name: string) =>
      (await happened(name)).flatMap(({ event, to, sender }) =>
        to?.private === true && sender !== speakerOf(name) ? [textOf(event) ?? ""] : [],
      ),
    /** Who was given the floor, lost it or had to go, and why: `revokeFloor ben: @timedOut ...`. */
    rulings: async () =>
      (await happened()).flatMap(({ eventType, to, reason, because }) => {
        const isOne = ["grantFloor", "revokeFloor", "uninvite"].includes(eventType) && because !== "convener/told";
        return isOne ? [`${eventType} ${nameOf(to?.speakerUri)}${reason === undefined ? "" : `: ${reason}`}`] : [];
      }),
    refusals: async (name: string) =>
      (await log(name)).flatMap(({ kind, because }) => (kind === "refused" ? [because] : [])),
    /** Until nobody is waited for. */
    quiet: () => expect.poll(async () => (await state()).awaited ?? [], patience).toEqual([]),
  };
}
