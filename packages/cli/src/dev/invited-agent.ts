import type { Conversation, Floor, OperationAnswer } from "@plenary/client";
import { envelope, type FloorEvent, type Identification, isSameUri, type Manifest } from "@plenary/protocol";
import { FloorError } from "../errors.ts";
import { lastJoinedConversation, startConversation } from "../floor/conversations.ts";

/** An agent that is invited to one conversation and uninvited at the end. */
export type InvitedAgent = Awaited<ReturnType<typeof inviteAgent>>;

/** Uses the given conversation, else this speaker's last one, else a new one. */
export async function inviteAgent(
  floor: Floor,
  serviceUrl: string,
  { conversation: given, name }: { conversation?: string; name: string },
) {
  const existing = given === undefined ? await lastJoinedConversation(floor) : await floor.join(given);
  const conversation = existing ?? (await startConversation(floor, name));
  const { id } = conversation;
  const { isClosed } = await conversation.view();
  if (isClosed) throw new FloorError(`the conversation ${id} is closed: give another with --conversation ID`);
  let present: Identification | undefined;
  const leave = async () => {
    if (present === undefined) return;
    const { speakerUri } = present;
    present = undefined;
    await send(floor, { id, events: [{ eventType: "uninvite", to: { speakerUri } }], waitS: 2 });
  };
  return {
    conversation: id,
    /** The conversation on the web page. */
    link: `${floor.url}/?conversation=${encodeURIComponent(id)}`,
    leave,
    /** Invites the agent, or again if its identification changed. */
    async join({ identification }: Manifest): Promise<void> {
      // A floor asks for a manifest once, so a changed identification needs a new invite.
      if (present !== undefined && !isSame(present, identification)) await leave();
      present = identification;
      await inviteOrRebind(floor, conversation, { speakerUri: identification.speakerUri, serviceUrl });
    },
  };
}

async function conversantIn(conversation: Conversation, speakerUri: string) {
  const { conversants } = await conversation.view();
  return conversants.find(({ identification }) => isSameUri(identification.speakerUri, speakerUri));
}

function isSame(one: Identification, other: Identification): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

type Answer = OperationAnswer<"POST /openfloor">;
type Address = { speakerUri: string; serviceUrl: string };

async function inviteOrRebind(floor: Floor, conversation: Conversation, to: Address): Promise<void> {
  const before = await conversantIn(conversation, to.speakerUri);
  if (before !== undefined && isSameUri(before.identification.serviceUrl, to.serviceUrl)) return;
  const rebind = () => conversation.command("rebind", to);
  // A killed run left the agent in the conversation, at another address.
  if (before !== undefined) return void (await rebind());
  const invitation = { id: conversation.id, events: [{ eventType: "invite" as const, to }], waitS: 15 };
  let answer = await send(floor, invitation);
  if (answer.refused?.[0]?.because === "guard/bound-elsewhere") {
    await rebind();
    answer = await send(floor, invitation);
  }
  const [refusal] = answer.refused ?? [];
  if (refusal !== undefined) throw new FloorError(`it could not be invited: ${refusal.problem}`);
  if ((await conversantIn(conversation, to.speakerUri))?.state === "joined") return;
  throw new FloorError(`it did not join: ${declineIn(answer) ?? "the convener has not approved the invite"}`);
}

type OutgoingEvents = { id: string; events: FloorEvent[]; waitS: number };

async function send(floor: Floor, { id, events, waitS }: OutgoingEvents): Promise<Answer> {
  const openFloor = envelope({ conversation: { id }, sender: { speakerUri: floor.me.speakerUri }, events });
  return floor.call("POST /openfloor", { body: { openFloor }, headers: { prefer: `wait=${waitS}` } });
}

function declineIn({ consequences = [] }: Answer): string | undefined {
  const events = consequences.flatMap(({ openFloor }) => openFloor?.events ?? []);
  return events.find(({ eventType }) => eventType === "declineInvite")?.reason;
}
