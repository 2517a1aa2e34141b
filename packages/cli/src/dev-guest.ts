import { type FloorEvent, type Identification, isSameUri, type Manifest } from "@plenary/protocol";
import type { FloorAccess } from "./floor-access.ts";
import { FloorProblem } from "./floor-problem.ts";

/** An agent that is brought to a conversation of this machine's person, and taken away again. */
export type Guest = {
  conversation: string;
  /** Where the page shows it. */
  link: string;
  /** Sees to it that the agent is there, as who it says it is now. */
  bring(manifest: Manifest): Promise<void>;
  takeAway(): Promise<void>;
};

type View = {
  id: string;
  isClosed: boolean;
  owner?: string;
  conversants: { identification: Identification; state: string }[];
};

type Host = { floor: FloorAccess; me: string; isOperator: boolean };

const listPage = 1_000;
const pagesMax = 20;
const candidatesMax = 5;

/** Into the conversation that is named, else the one this person was in last, else a new one. */
export async function guestOf(
  floor: FloorAccess,
  serviceUrl: string,
  { conversation, name }: { conversation?: string; name: string },
): Promise<Guest> {
  const host = await hostOf(floor);
  const id = conversation ?? (await newest(host)) ?? (await open(host, name));
  const view = await look(host, id);
  if (view.isClosed) throw new FloorProblem(`the conversation ${id} has ended: name another with --conversation ID`);
  const inviter = isSeated(view, host.me) ? host.me : view.owner;
  if (inviter === undefined) {
    throw new FloorProblem(`nobody in ${id} can invite: name another conversation with --conversation ID`);
  }
  let present: Identification | undefined;
  const takeAway = async () => {
    if (present === undefined) return;
    const { speakerUri } = present;
    present = undefined;
    await send(host, { id, inviter, events: [{ eventType: "uninvite", to: { speakerUri } }], waitS: 2 });
  };
  return {
    conversation: id,
    link: `${floor.url}/?conversation=${encodeURIComponent(id)}`,
    takeAway,
    async bring({ identification }) {
      // A floor asks a conversant once who it is: whoever has become somebody else comes in anew.
      if (present !== undefined && !isSame(present, identification)) await takeAway();
      present = identification;
      await seat(host, { id, inviter, to: { speakerUri: identification.speakerUri, serviceUrl } });
    },
  };
}

/** The operator's person, as the page has it, or whom the key is for. */
async function hostOf(floor: FloorAccess): Promise<Host> {
  const { speakers, floor: self } = await floor.json<{ speakers: "anyone" | string[]; floor: { speakerUri: string } }>(
    "/api/v1/me",
  );
  const isOperator = speakers === "anyone";
  const [me] = isOperator ? [`${self.speakerUri}/host`] : speakers;
  if (me === undefined)
    throw new FloorProblem("this key speaks for nobody: use the operator's token, or a person's key");
  return { floor, me, isOperator };
}

async function newest(host: Host): Promise<string | undefined> {
  type Summary = { id: string; updatedAt: string; isClosed: boolean };
  const found: Summary[] = [];
  const speaker = encodeURIComponent(host.me);
  let after: string | null = "";
  for (let page = 0; page < pagesMax && after !== null; page += 1) {
    const from: string = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
    const path = `/api/v1/conversations?speaker=${speaker}&limit=${listPage}${from}`;
    const answer: { conversations: Summary[]; next: string | null } = await host.floor.json(path);
    found.push(...answer.conversations.filter(({ isClosed }) => !isClosed));
    after = answer.next;
  }
  found.sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
  for (const { id } of found.slice(0, candidatesMax)) {
    if (isSeated(await look(host, id), host.me)) return id;
  }
  return undefined;
}

async function open({ floor, me }: Host, title: string): Promise<string> {
  const owner = { identification: { speakerUri: me, conversationalName: "Host" } };
  return (await floor.json<{ id: string }>("/api/v1/conversations", { method: "POST", body: { owner, title } })).id;
}

function look({ floor, me, isOperator }: Host, id: string): Promise<View> {
  const as = isOperator ? "" : `?speaker=${encodeURIComponent(me)}`;
  return floor.json(`${pathOf(id)}${as}`);
}

const pathOf = (id: string) => `/api/v1/conversations/${encodeURIComponent(id)}`;

function seatOf({ conversants }: View, speakerUri: string) {
  return conversants.find(({ identification }) => isSameUri(identification.speakerUri, speakerUri));
}

function isSeated(view: View, speakerUri: string): boolean {
  return seatOf(view, speakerUri) !== undefined;
}

function isSame(one: Identification, other: Identification): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

type Address = { speakerUri: string; serviceUrl: string };
type Refusal = { because: string; problem: string };
type Answer = { refused?: Refusal[]; consequences?: { openFloor: { events: FloorEvent[] } }[] };

async function seat(host: Host, { id, inviter, to }: { id: string; inviter: string; to: Address }): Promise<void> {
  const before = seatOf(await look(host, id), to.speakerUri);
  if (before !== undefined && isSameUri(before.identification.serviceUrl, to.serviceUrl)) return;
  const rebind = () => host.floor.json(`${pathOf(id)}/rebind`, { method: "POST", body: to });
  // Left there by a run that was killed.
  if (before !== undefined) return void (await rebind());
  const invitation = { id, inviter, events: [{ eventType: "invite" as const, to }], waitS: 15 };
  let answer = await send(host, invitation);
  if (answer.refused?.[0]?.because === "guard/bound-elsewhere") {
    await rebind();
    answer = await send(host, invitation);
  }
  const [refusal] = answer.refused ?? [];
  if (refusal !== undefined) throw new FloorProblem(`it could not be invited: ${refusal.problem}`);
  if (seatOf(await look(host, id), to.speakerUri)?.state === "joined") return;
  throw new FloorProblem(
    `it did not join: ${declineIn(answer) ?? "whoever convenes the conversation has not let it in"}`,
  );
}

type Saying = { id: string; inviter: string; events: FloorEvent[]; waitS: number };

async function send({ floor }: Host, { id, inviter, events, waitS }: Saying): Promise<Answer> {
  const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri: inviter }, events };
  return floor.json("/openfloor", { method: "POST", body: { openFloor }, headers: { prefer: `wait=${waitS}` } });
}

function declineIn({ consequences = [] }: Answer): string | undefined {
  const events = consequences.flatMap(({ openFloor }) => openFloor.events);
  return events.find(({ eventType }) => eventType === "declineInvite")?.reason;
}
