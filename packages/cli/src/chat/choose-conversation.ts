import type { FloorEvent } from "@plenary/protocol";
import { ConversationLookupError } from "../errors.ts";
import type { FloorClient } from "../floor/client.ts";
import { conversationClient, type KnownAgent } from "../floor/conversation-client.ts";
import {
  assertCanHost,
  conversationsAt,
  findConversation,
  lastJoinedConversation,
  startConversation,
} from "../floor/conversations.ts";
import { serviceUrlOf } from "./commands/known-agents.ts";

type ConversationChoice = { urls: readonly string[]; conversation?: string; last: boolean; title?: string };
type KnownAgents = { agents: readonly KnownAgent[]; invitedByDefault: readonly string[] };

/** Finds or starts the conversation and invites the agents. */
export async function chooseConversation(client: FloorClient, wanted: ConversationChoice) {
  const isNew = wanted.conversation === undefined && !wanted.last;
  if (isNew) assertCanHost(client);
  const { agents, invitedByDefault } = await knownAgents(client, wanted.urls, isNew);
  const invitees = wanted.urls.map((url) => serviceUrlOf(url, agents));
  const id = isNew
    ? await startConversation(client, wanted.title ?? titleAt(new Date()))
    : await existingConversation(client, wanted);
  await invite(client, id, isNew && invitees.length === 0 ? invitedByDefault : invitees);
  return { id, isNew };
}

/** Only fetched when a name must be resolved or a new conversation needs its default agents. */
async function knownAgents(client: FloorClient, urls: readonly string[], isNew: boolean): Promise<KnownAgents> {
  const areUrls = urls.length > 0 && urls.every((url) => /^https?:/iu.test(url));
  if (areUrls || (urls.length === 0 && !isNew)) return { agents: [], invitedByDefault: [] };
  return client.json<KnownAgents>("/api/v1/agents");
}

async function existingConversation(client: FloorClient, { conversation }: ConversationChoice): Promise<string> {
  if (conversation !== undefined) {
    return (await findConversation(conversation, conversationsAt(client, client.speakerUri))).id;
  }
  const newest = await lastJoinedConversation(client);
  if (newest === undefined) throw new ConversationLookupError("there is no earlier conversation: leave out --last");
  return newest;
}

async function invite(client: FloorClient, id: string, serviceUrls: readonly string[]): Promise<void> {
  const events = serviceUrls.map((serviceUrl): FloorEvent => ({ eventType: "invite", to: { serviceUrl } }));
  if (events.length > 0) await conversationClient(client, id).send(...events);
}

/** The time makes default titles distinguishable. */
function titleAt(now: Date): string {
  const day = now.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return `Terminal, ${day} ${now.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
}
