import { welcomersAmong } from "@plenary/floor";
import type { FloorEvent } from "@plenary/protocol";
import { UnclearConversation } from "../errors.ts";
import type { Caller } from "../floor/client.ts";
import { conversationAt, type KnownAgent } from "../floor/conversation-client.ts";
import {
  assertMayBegin,
  beginConversation,
  conversationCalled,
  conversationsAt,
  newestSeated,
} from "../floor/conversations.ts";
import { inviteeOf } from "./commands/known-agents.ts";

export type Wanted = { urls: readonly string[]; conversation?: string; last: boolean; title?: string };
export type Chosen = { id: string; isNew: boolean };

/** The conversation that is meant, begun if need be, with those agents in it. */
export async function chooseConversation(caller: Caller, wanted: Wanted): Promise<Chosen> {
  const isNew = wanted.conversation === undefined && !wanted.last;
  if (isNew) assertMayBegin(caller);
  const agents = await knownAgents(caller, wanted.urls, isNew);
  const invitees = wanted.urls.map((url) => inviteeOf(url, agents));
  const id = isNew
    ? await beginConversation(caller, wanted.title ?? titleAt(new Date()))
    : await earlier(caller, wanted);
  await invite(caller, id, isNew && invitees.length === 0 ? welcomersAmong(hostedAmong(agents)) : invitees);
  return { id, isNew };
}

/** None where nobody is named by anything but a URL. */
async function knownAgents(caller: Caller, urls: readonly string[], isNew: boolean): Promise<readonly KnownAgent[]> {
  const areUrls = urls.length > 0 && urls.every((url) => /^https?:/iu.test(url));
  if (areUrls || (urls.length === 0 && !isNew)) return [];
  return (await caller.json<{ agents: KnownAgent[] }>("/api/v1/agents")).agents;
}

function hostedAmong(agents: readonly KnownAgent[]): string[] {
  return agents.filter(({ isHosted }) => isHosted).map(({ serviceUrl }) => serviceUrl);
}

async function earlier(caller: Caller, { conversation }: Wanted): Promise<string> {
  if (conversation !== undefined) {
    return (await conversationCalled(conversation, conversationsAt(caller, caller.speakerUri))).id;
  }
  const newest = await newestSeated(caller);
  if (newest === undefined) throw new UnclearConversation("there is no earlier conversation: leave out --last");
  return newest;
}

async function invite(caller: Caller, id: string, serviceUrls: readonly string[]): Promise<void> {
  const events = serviceUrls.map((serviceUrl): FloorEvent => ({ eventType: "invite", to: { serviceUrl } }));
  if (events.length > 0) await conversationAt(caller, id).send(...events);
}

/** Many are begun: the time tells them apart. */
function titleAt(now: Date): string {
  const day = now.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return `Terminal, ${day} ${now.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
}
