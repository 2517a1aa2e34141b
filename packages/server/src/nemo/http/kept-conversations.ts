import { hash } from "node:crypto";
import { type ChatMessage, textOfParts } from "@plenary/nemo";
import type { ServerContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import type { NemoPerson } from "../participant.ts";
import type { HttpCaller } from "./caller.ts";

type OpenConversation = { conversationId: string; person: NemoPerson };

/** Conversations without a Conversation-Id that stay open for a while. Bounded in number, forgotten at a restart. */
export type KeptConversations = {
  /** Keeps it until a request takes it. Closes it after this time, or when newer ones need the room. */
  keep(one: OpenConversation, how: { key?: string; ms: number }): void;
  /** Removes and returns the newest one with this key. Undefined when several persons have the same key. */
  take(key: string): OpenConversation | undefined;
};

type KeepingContext = Pick<ServerContext, "clock" | "receiver" | "onError" | "drained">;
type KeptEntry = OpenConversation & { key?: string; cancel: () => void };

const keptMax = 1_000;
const perPersonMax = 32;

export function createKeptConversations(context: KeepingContext): KeptConversations {
  const { clock, drained } = context;
  const all = new Map<string, KeptEntry>();
  drained.addEventListener("abort", () => {
    for (const { cancel } of all.values()) cancel();
  });
  const release = (id: string): KeptEntry | undefined => {
    const kept = all.get(id);
    kept?.cancel();
    all.delete(id);
    return kept;
  };
  const end = (id: string) => {
    const kept = release(id);
    if (kept !== undefined) closeConversation(context, id, kept.person).catch(context.onError);
  };
  const makeRoom = (speakerUri: string) => {
    const own = [...all.values()].filter(({ person }) => person.speakerUri === speakerUri);
    const oldest = own.length >= perPersonMax ? own[0]?.conversationId : undefined;
    const [first] = all.keys();
    if (oldest !== undefined) end(oldest);
    else if (all.size >= keptMax && first !== undefined) end(first);
  };
  return {
    keep({ conversationId, person }, { key, ms }) {
      release(conversationId);
      makeRoom(person.speakerUri);
      const cancel = drained.aborted ? () => {} : clock.at(clock.now() + ms, () => end(conversationId));
      all.set(conversationId, { conversationId, person, cancel, ...(key !== undefined && { key }) });
    },
    take(wanted) {
      const matching = [...all.values()].filter(({ key }) => key === wanted);
      const found = matching.at(-1);
      const isClear = matching.every(({ person }) => person.speakerUri === found?.person.speakerUri);
      return found && isClear ? release(found.conversationId) : undefined;
    },
  };
}

/** The key of an open question: the person, the last message of that person, and the answer. */
export function keyOfQuestion(caller: HttpCaller, message: string, answer: string): string {
  const speakerUri = caller.isProven ? caller.person.speakerUri : "";
  return hash("sha256", JSON.stringify([speakerUri, normalize(message), normalize(answer)]), "base64url");
}

/** The last message and answer before the new message. */
export function lastExchange(messages: readonly ChatMessage[]): { message: string; answer: string } | undefined {
  const before = (role: ChatMessage["role"], end: number) =>
    messages.findLastIndex((one, index) => one.role === role && index < end);
  const answered = before("assistant", before("user", messages.length));
  if (answered < 0) return undefined;
  const textAt = (index: number) => textOfParts(messages[index]?.parts ?? []);
  return { message: textAt(before("user", answered)), answer: textAt(answered) };
}

function normalize(text: string): string {
  return text.replaceAll("\r\n", "\n").trim();
}

type CloseContext = Pick<ServerContext, "receiver" | "onError">;

/** Closes a conversation that was opened for one request. */
export async function closeConversation(
  { receiver, onError }: CloseContext,
  id: string,
  { speakerUri }: NemoPerson,
): Promise<void> {
  try {
    await receiver.command(id, { verb: "close" }, { by: { by: "owner", speakerUri } });
  } catch (error) {
    // A `Problem`: the conversation was never opened, or is closed already.
    if (!(error instanceof Problem)) onError(error);
  }
}
