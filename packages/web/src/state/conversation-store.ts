import type { Conversation, LiveSnapshot } from "@plenary/client";
import { errorText } from "../api/floor.ts";
import { createPromptReader } from "../prompts/read-prompts.ts";
import { texts } from "../texts/texts.ts";
import type { ConversationState } from "./types.ts";

export type ConversationStore = ReturnType<typeof createConversationStore>;

/** State of one open conversation for the page. */
export function createConversationStore(conversation: Conversation) {
  const live = conversation.live();
  const prompts = createPromptReader();
  let known: { snapshot: LiveSnapshot; state: ConversationState } | undefined;
  return {
    subscribe: live.subscribe,
    refresh: live.refresh,
    loadOlder: live.loadOlder,
    close: live.close,
    snapshot: live.snapshot,
    /** The same object until something changes. */
    get(): ConversationState {
      const snapshot = live.snapshot();
      if (known?.snapshot !== snapshot) {
        const { entries, view } = snapshot;
        known = { snapshot, state: stateOf(snapshot, prompts.read(entries, view.conversants)) };
      }
      return known.state;
    },
  };
}

function stateOf(snapshot: LiveSnapshot, prompts: ConversationState["prompts"]): ConversationState {
  const { questions: _, connection, problem, ...shared } = snapshot;
  return {
    ...shared,
    connection: connection === "reconnecting" && !navigator.onLine ? "offline" : connection,
    ...(connection === "gone" && { problem: problem ? errorText(problem) : texts.errors.notInConversation }),
    prompts,
    awaited: snapshot.view.awaited ?? [],
  };
}
