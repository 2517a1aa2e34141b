import type { TurnRequest } from "@plenary/nemo";
import { foldUri, isSameUri } from "@plenary/protocol";
import { historyBefore, whisperedWith } from "../llm/listening.ts";
import { namesIn, plainName } from "../llm/names.ts";
import { messageOf } from "../llm/prompt.ts";
import type { Bridge } from "./settings.ts";
import type { Later } from "./state.ts";

/** What was said, as a workflow is told it. */
export async function requestFor({ heard, matter }: Later, bridge: Bridge): Promise<TurnRequest> {
  const { conversation, dialogEvent, text, traceparent } = heard;
  const { asker, whisperer } = matter;
  const name = plainName(bridge.name);
  const nameOf = namesIn(conversation, name);
  const question = { id: dialogEvent.id, speakerUri: asker, text, ...whisperedWith(whisperer) };
  const base = {
    schemaType: bridge.schemaType,
    userName: nameOf(asker),
    // The protocol has no field for the trace of the turn, and headers are told only once for a socket.
    extras: { openFloor: { conversationId: conversation.id, sender: asker, ...(traceparent && { traceparent }) } },
    // A workflow may remember its conversations: what is whispered is one of its own.
    thread: whisperer === undefined ? "" : foldUri(whisperer),
  };
  if (bridge.schemaType.startsWith("generate")) {
    return { ...base, messages: [{ role: "user", parts: [{ type: "text", text }] }] };
  }
  const lines = [...(await historyBefore(question, matter, heard, bridge)), question];
  const isMe = (speakerUri: string) => isSameUri(speakerUri, bridge.speakerUri);
  const messages = lines
    .map((line) => messageOf(line, { name, nameOf, isMe }))
    .map(({ role, content }) => ({ role, parts: [{ type: "text", text: content } as const] }));
  return { ...base, messages };
}
