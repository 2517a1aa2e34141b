import { type FloorEvent, type Identification, isSameUri, type Manifest } from "@plenary/protocol";
import { FloorProblem } from "../errors.ts";
import type { Caller } from "../floor/client.ts";
import type { ConversationView } from "../floor/conversation-client.ts";
import { beginConversation, conversationsPath, newestSeated, viewOf } from "../floor/conversations.ts";

/** An agent that is brought to a conversation of this machine's person, and taken away again. */
export type Guest = {
  conversation: string;
  /** Where the page shows it. */
  link: string;
  /** Sees to it that the agent is there, as who it says it is now. */
  bring(manifest: Manifest): Promise<void>;
  takeAway(): Promise<void>;
};

/** Into the conversation that is named, else the one this person was in last, else a new one. */
export async function guestOf(
  caller: Caller,
  serviceUrl: string,
  { conversation, name }: { conversation?: string; name: string },
): Promise<Guest> {
  const id = conversation ?? (await newestSeated(caller)) ?? (await beginConversation(caller, name));
  const { isClosed } = await viewOf(caller, id);
  if (isClosed) throw new FloorProblem(`the conversation ${id} has ended: name another with --conversation ID`);
  let present: Identification | undefined;
  const takeAway = async () => {
    if (present === undefined) return;
    const { speakerUri } = present;
    present = undefined;
    await send(caller, { id, events: [{ eventType: "uninvite", to: { speakerUri } }], waitS: 2 });
  };
  return {
    conversation: id,
    link: `${caller.url()}/?conversation=${encodeURIComponent(id)}`,
    takeAway,
    async bring({ identification }) {
      // A floor asks a conversant once who it is: whoever has become somebody else comes in anew.
      if (present !== undefined && !isSame(present, identification)) await takeAway();
      present = identification;
      await seat(caller, id, { speakerUri: identification.speakerUri, serviceUrl });
    },
  };
}

function seatOf({ conversants }: ConversationView, speakerUri: string) {
  return conversants.find(({ identification }) => isSameUri(identification.speakerUri, speakerUri));
}

function isSame(one: Identification, other: Identification): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

type Address = { speakerUri: string; serviceUrl: string };
type Refusal = { because: string; problem: string };
type Answer = { refused?: Refusal[]; consequences?: { openFloor: { events: FloorEvent[] } }[] };

async function seat(caller: Caller, id: string, to: Address): Promise<void> {
  const before = seatOf(await viewOf(caller, id), to.speakerUri);
  if (before !== undefined && isSameUri(before.identification.serviceUrl, to.serviceUrl)) return;
  const path = `${conversationsPath}/${encodeURIComponent(id)}/rebind`;
  const rebind = () => caller.json(path, { method: "POST", body: to });
  // Left there by a run that was killed.
  if (before !== undefined) return void (await rebind());
  const invitation = { id, events: [{ eventType: "invite" as const, to }], waitS: 15 };
  let answer = await send(caller, invitation);
  if (answer.refused?.[0]?.because === "guard/bound-elsewhere") {
    await rebind();
    answer = await send(caller, invitation);
  }
  const [refusal] = answer.refused ?? [];
  if (refusal !== undefined) throw new FloorProblem(`it could not be invited: ${refusal.problem}`);
  if (seatOf(await viewOf(caller, id), to.speakerUri)?.state === "joined") return;
  throw new FloorProblem(
    `it did not join: ${declineIn(answer) ?? "whoever convenes the conversation has not let it in"}`,
  );
}

type Saying = { id: string; events: FloorEvent[]; waitS: number };

async function send(caller: Caller, { id, events, waitS }: Saying): Promise<Answer> {
  const { speakerUri } = caller;
  const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri }, events };
  return caller.json("/openfloor", { method: "POST", body: { openFloor }, headers: { prefer: `wait=${waitS}` } });
}

function declineIn({ consequences = [] }: Answer): string | undefined {
  const events = consequences.flatMap(({ openFloor }) => openFloor.events);
  return events.find(({ eventType }) => eventType === "declineInvite")?.reason;
}
