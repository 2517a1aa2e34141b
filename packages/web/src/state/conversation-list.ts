import type { ConversationSummary, Floor } from "@plenary/client";
import { errorText } from "../api/floor.ts";

export type ListState = {
  /** Undefined until it is loaded. */
  conversations: readonly ConversationSummary[] | undefined;
  problem?: string;
};

export type NewConversation = { title?: string; agents: readonly string[]; convener?: string };

export type ConversationList = ReturnType<typeof createConversationList>;

const conversationsMax = 20_000;

/** Conversations of one person, last updated first. */
export function createConversationList(floor: Floor) {
  const listeners = new Set<() => void>();
  let state: ListState = { conversations: undefined };
  const change = (next: ListState) => {
    state = next;
    for (const listener of listeners) listener();
  };

  async function all(): Promise<ConversationSummary[]> {
    const found: ConversationSummary[] = [];
    for await (const one of floor.conversations()) if (found.push(one) >= conversationsMax) break;
    return found.sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
  }

  async function refresh(): Promise<void> {
    try {
      change({ conversations: await all() });
    } catch (error) {
      change({ conversations: state.conversations, problem: errorText(error) });
    }
  }

  return {
    get: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    refresh,
    /** Resolves to the id of the new conversation. */
    async create({ title, agents, convener }: NewConversation) {
      const { id } = await floor.open({ ...(title && { title }), ...(convener && { convener }), invite: agents });
      await refresh();
      return id;
    },
    /** The first conversation, with the agents of this floor. Requests from two tabs create one conversation. */
    async createWelcome() {
      const { invitedByDefault } = await floor.agents();
      const idempotencyKey = `welcome ${floor.me.speakerUri}`;
      const opened = await floor.open({ title: "Welcome", idempotencyKey });
      const { conversants } = await opened.view();
      if (conversants.length === 1) await opened.inviteAll(invitedByDefault);
      return opened.id;
    },
    knownAgents: async () => (await floor.agents()).agents,
  };
}
