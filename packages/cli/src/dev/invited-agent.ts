import { type FloorEvent, type Identification, isSameUri, type Manifest } from "@plenary/protocol";
import { FloorError } from "../errors.ts";
import type { FloorClient } from "../floor/client.ts";
import type { ConversationView } from "../floor/conversation-client.ts";
import { conversationsPath, lastJoinedConversation, startConversation, viewOf } from "../floor/conversations.ts";

/** An agent that is invited to one conversation and uninvited at the end. */
export type InvitedAgent = {
  conversation: string;
  /** The conversation on the web page. */
  link: string;
  /** Invites the agent, or again if its identification changed. */
  join(manifest: Manifest): Promise<void>;
  leave(): Promise<void>;
};

/** Uses the given conversation, else this speaker's last one, else a new one. */
export async function inviteAgent(
  client: FloorClient,
  serviceUrl: string,
  { conversation, name }: { conversation?: string; name: string },
): Promise<InvitedAgent> {
  const id = conversation ?? (await lastJoinedConversation(client)) ?? (await startConversation(client, name));
  const { isClosed } = await viewOf(client, id);
  if (isClosed) throw new FloorError(`the conversation ${id} is closed: give another with --conversation ID`);
  let present: Identification | undefined;
  const leave = async () => {
    if (present === undefined) return;
    const { speakerUri } = present;
    present = undefined;
    await send(client, { id, events: [{ eventType: "uninvite", to: { speakerUri } }], waitS: 2 });
  };
  return {
    conversation: id,
    link: `${client.url()}/?conversation=${encodeURIComponent(id)}`,
    leave,
    async join({ identification }) {
      // A floor asks for a manifest once, so a changed identification needs a new invite.
      if (present !== undefined && !isSame(present, identification)) await leave();
      present = identification;
      await inviteOrRebind(client, id, { speakerUri: identification.speakerUri, serviceUrl });
    },
  };
}

function conversantIn({ conversants }: ConversationView, speakerUri: string) {
  return conversants.find(({ identification }) => isSameUri(identification.speakerUri, speakerUri));
}

function isSame(one: Identification, other: Identification): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

type Address = { speakerUri: string; serviceUrl: string };
type Refusal = { because: string; problem: string };
type Answer = { refused?: Refusal[]; consequences?: { openFloor: { events: FloorEvent[] } }[] };

async function inviteOrRebind(client: FloorClient, id: string, to: Address): Promise<void> {
  const before = conversantIn(await viewOf(client, id), to.speakerUri);
  if (before !== undefined && isSameUri(before.identification.serviceUrl, to.serviceUrl)) return;
  const path = `${conversationsPath}/${encodeURIComponent(id)}/rebind`;
  const rebind = () => client.json(path, { method: "POST", body: to });
  // A killed run left the agent in the conversation, at another address.
  if (before !== undefined) return void (await rebind());
  const invitation = { id, events: [{ eventType: "invite" as const, to }], waitS: 15 };
  let answer = await send(client, invitation);
  if (answer.refused?.[0]?.because === "guard/bound-elsewhere") {
    await rebind();
    answer = await send(client, invitation);
  }
  const [refusal] = answer.refused ?? [];
  if (refusal !== undefined) throw new FloorError(`it could not be invited: ${refusal.problem}`);
  if (conversantIn(await viewOf(client, id), to.speakerUri)?.state === "joined") return;
  throw new FloorError(`it did not join: ${declineIn(answer) ?? "the convener has not approved the invite"}`);
}

type OutgoingEvents = { id: string; events: FloorEvent[]; waitS: number };

async function send(client: FloorClient, { id, events, waitS }: OutgoingEvents): Promise<Answer> {
  const { speakerUri } = client;
  const openFloor = { schema: { version: "1.1.0" }, conversation: { id }, sender: { speakerUri }, events };
  return client.json("/openfloor", { method: "POST", body: { openFloor }, headers: { prefer: `wait=${waitS}` } });
}

function declineIn({ consequences = [] }: Answer): string | undefined {
  const events = consequences.flatMap(({ openFloor }) => openFloor.events);
  return events.find(({ eventType }) => eventType === "declineInvite")?.reason;
}
