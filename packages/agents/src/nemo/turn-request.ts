import type { Part, TurnRequest } from "@plenary/nemo";
import { type Conversation, type DialogEvent, foldUri, isSameUri } from "@plenary/protocol";
import type { HistoryLine } from "../llm/history.ts";
import { historyBefore, whisperedWith } from "../llm/history-store.ts";
import { messageOf, namesIn, plainName } from "../llm/prompt.ts";
import { formatOf, type Medium, mediaIn, type Sorted, sortedBy, wordsOf } from "../media.ts";
import type { NemoConfig } from "./settings.ts";
import type { QueuedUtterance } from "./state.ts";

/** What was said, as a workflow is told it. */
export async function requestFor({ heard, request }: QueuedUtterance, bridge: NemoConfig): Promise<TurnRequest> {
  const { conversation, dialogEvent, traceparent } = heard;
  const { read } = mediaFor(dialogEvent, bridge);
  const text = wordsOf(heard.text, mediaIn(dialogEvent));
  const { asker, whisperer } = request;
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
    return { ...base, messages: [{ role: "user", parts: [{ type: "text", text: uncalled(text, bridge.name) }] }] };
  }
  const lines = [...(await historyBefore(question, request, heard, bridge)), question];
  const isMe = (speakerUri: string) => isSameUri(speakerUri, bridge.speakerUri);
  const isNameless = isAloneWith(asker, lines, conversation, isMe);
  const messages = lines
    .map((line) => (isNameless && !isMe(line.speakerUri) ? { ...line, text: uncalled(line.text, bridge.name) } : line))
    .map((line) => messageOf(line, { name, nameOf, isMe, isNameless }))
    .map(({ role, content }) => ({ role, parts: [{ type: "text", text: content }] as Part[] }));
  messages.at(-1)?.parts.push(...read.map(partOf));
  return { ...base, messages };
}

/** What of it the workflow is told, and what not. */
export function mediaFor(dialogEvent: DialogEvent, { takes }: Pick<NemoConfig, "takes">): Sorted {
  return sortedBy(({ kind }) => takes.includes(kind), mediaIn(dialogEvent));
}

function partOf(medium: Medium): Part {
  const { kind, url, data = url } = medium;
  if (kind === "audio") return { type: "input_audio", data, format: formatOf(medium) };
  return { type: kind === "image" ? "image_url" : "video_url", url };
}

/** Nobody else is there, and nobody else has said any of it. */
function isAloneWith(
  asker: string,
  lines: readonly HistoryLine[],
  { conversants = [] }: Conversation,
  isMe: (speakerUri: string) => boolean,
): boolean {
  const isOther = (speakerUri: string) => !isMe(speakerUri) && !isSameUri(speakerUri, asker);
  const isByOther = ({ speakerUri, isReported }: HistoryLine) =>
    isOther(speakerUri) || (isReported === true && isMe(speakerUri));
  return !conversants.some(({ identification }) => isOther(identification.speakerUri)) && !lines.some(isByOther);
}

/** Without `@Name` before them, if that leaves any. */
function uncalled(text: string, name: string): string {
  const said = text.trim();
  const call = `@${name}`;
  if (said.slice(0, call.length).toLowerCase() !== call.toLowerCase()) return text;
  const rest = said.slice(call.length);
  return /^[\p{L}\p{N}]/u.test(rest) ? text : rest.replace(/^[\s,:]+/u, "") || text;
}
