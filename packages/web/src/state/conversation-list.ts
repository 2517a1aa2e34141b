import type { ConversationSummary, ConversationView, KnownAgent } from "@plenary/client";
import type { FloorEvent } from "@plenary/protocol";
import { type Client, errorText } from "../api/client.ts";
import { envelopeOf } from "../api/envelopes.ts";
import { createPublisher } from "./throttle.ts";

export type ListState = {
  /** Undefined until it is loaded. */
  conversations: readonly ConversationSummary[] | undefined;
  problem?: string;
};

export type NewConversation = { title?: string; agents: readonly string[]; convener?: string };

export type ConversationList = ReturnType<typeof createConversationList>;

const pageMax = 1_000;
const pagesMax = 20;

/** Conversations of one person, last updated first. */
export function createConversationList(client: Client, me: { speakerUri: string; name?: string }) {
  let conversations: readonly ConversationSummary[] | undefined;
  let problem: string | undefined;
  const publisher = createPublisher((): ListState => ({ conversations, ...(problem !== undefined && { problem }) }));
  const speaker = `speaker=${encodeURIComponent(me.speakerUri)}`;

  async function all(): Promise<ConversationSummary[]> {
    const found: ConversationSummary[] = [];
    let after: string | null = "";
    for (let page = 0; page < pagesMax && after !== null; page += 1) {
      const from: string = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
      const answer: { conversations: ConversationSummary[]; next: string | null } = await client.get(
        `/api/v1/conversations?${speaker}&limit=${pageMax}${from}`,
      );
      found.push(...answer.conversations);
      after = answer.next;
    }
    return found.sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
  }

  async function refresh(): Promise<void> {
    try {
      conversations = await all();
      problem = undefined;
    } catch (error) {
      problem = errorText(error);
    }
    publisher.publish();
  }

  const owner = { identification: { speakerUri: me.speakerUri, ...(me.name && { conversationalName: me.name }) } };
  const start = (fields: Record<string, string>, headers?: Record<string, string>) =>
    client.post<{ id: string; conversation: ConversationView }>("/api/v1/conversations", { owner, ...fields }, headers);

  async function invite(id: string, agents: readonly string[]): Promise<void> {
    const invites = agents.map((serviceUrl): FloorEvent => ({ eventType: "invite", to: { serviceUrl } }));
    if (invites.length > 0) await client.post("/openfloor", envelopeOf(id, me.speakerUri, invites));
  }

  return {
    get: publisher.get,
    subscribe: publisher.subscribe,
    refresh,
    /** Resolves to the id of the new conversation. */
    async create({ title, agents, convener }: NewConversation) {
      const { id } = await start({ ...(title && { title }), ...(convener && { convener }) });
      await invite(id, agents);
      await refresh();
      return id;
    },
    /** The first conversation, with the agents of this floor. Requests from two tabs create one conversation. */
    async createWelcome() {
      const { invitedByDefault } = await client.get<{ invitedByDefault: string[] }>("/api/v1/agents");
      const key = { "idempotency-key": `welcome ${me.speakerUri}` };
      const { id, conversation } = await start({ title: "Welcome" }, key);
      const isNew = conversation.conversants.length === 1;
      if (isNew) await invite(id, invitedByDefault);
      return id;
    },
    knownAgents: async () => (await client.get<{ agents: KnownAgent[] }>("/api/v1/agents")).agents,
  };
}
