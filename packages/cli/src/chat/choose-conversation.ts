import type { Conversation, Floor, KnownAgents } from "@plenary/client";
import type { FloorEvent } from "@plenary/protocol";
import { ConversationLookupError } from "../errors.ts";
import { assertCanHost, findConversation, lastJoinedConversation, startConversation } from "../floor/conversations.ts";
import { serviceUrlOf } from "./commands/known-agents.ts";

type ConversationChoice = { urls: readonly string[]; conversation?: string; last: boolean; title?: string };

/** Finds or starts the conversation and invites the agents. */
export async function chooseConversation(floor: Floor, wanted: ConversationChoice) {
  const isNew = wanted.conversation === undefined && !wanted.last;
  if (isNew) assertCanHost(floor);
  const { agents, invitedByDefault } = await knownAgents(floor, wanted.urls, isNew);
  const invitees = wanted.urls.map((url) => serviceUrlOf(url, agents));
  const conversation = isNew
    ? await startConversation(floor, wanted.title ?? titleAt(new Date()))
    : await existingConversation(floor, wanted);
  await invite(conversation, isNew && invitees.length === 0 ? invitedByDefault : invitees);
  return { conversation, isNew };
}

/** Only fetched when a name must be resolved or a new conversation needs its default agents. */
async function knownAgents(
  floor: Floor,
  urls: readonly string[],
  isNew: boolean,
): Promise<Pick<KnownAgents, "agents" | "invitedByDefault">> {
  const areUrls = urls.length > 0 && urls.every((url) => /^https?:/iu.test(url));
  if (areUrls || (urls.length === 0 && !isNew)) return { agents: [], invitedByDefault: [] };
  return floor.agents();
}

async function existingConversation(floor: Floor, { conversation }: ConversationChoice): Promise<Conversation> {
  if (conversation !== undefined) return floor.join((await findConversation(conversation, floor.conversations())).id);
  const newest = await lastJoinedConversation(floor);
  if (newest === undefined) throw new ConversationLookupError("there is no earlier conversation: leave out --last");
  return newest;
}

async function invite(conversation: Conversation, serviceUrls: readonly string[]): Promise<void> {
  const events = serviceUrls.map((serviceUrl): FloorEvent => ({ eventType: "invite", to: { serviceUrl } }));
  if (events.length > 0) await conversation.send(...events);
}

/** The time makes default titles distinguishable. */
function titleAt(now: Date): string {
  const day = now.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return `Terminal, ${day} ${now.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
}
