import type { Part, RunRequest } from "@plenary/nemo";
import { type Conversation, type DialogEvent, foldUri, isSameUri } from "@plenary/protocol";
import type { HistoryLine } from "../llm/history.ts";
import { historyBefore, whisperedWith } from "../llm/history-store.ts";
import { messageOf, namesIn, plainName } from "../llm/prompt.ts";
import { formatOf, type Medium, mediaIn, type Sorted, sortedBy, wordsOf } from "../media.ts";
import type { NemoConfig } from "./settings.ts";
import type { QueuedUtterance } from "./state.ts";

/** The utterance and its history as a request to the workflow. */
export async function requestFor({ heard, request }: QueuedUtterance, config: NemoConfig): Promise<RunRequest> {
  const { conversation, dialogEvent, traceparent } = heard;
  const { read } = mediaFor(dialogEvent, config);
  const text = wordsOf(heard.text, mediaIn(dialogEvent));
  const { asker, whisperer } = request;
  const name = plainName(config.name);
  const nameOf = namesIn(conversation, name);
  const question = { id: dialogEvent.id, speakerUri: asker, text, ...whisperedWith(whisperer) };
  const base = {
    schemaType: config.schemaType,
    userName: nameOf(asker),
    // The protocol has no field for the trace of a turn, and headers are sent only once per socket.
    extras: { openFloor: { conversationId: conversation.id, sender: asker, ...(traceparent && { traceparent }) } },
    // A workflow may remember its conversations, so whispers have a conversation of their own.
    thread: whisperer === undefined ? "" : foldUri(whisperer),
  };
  if (config.schemaType.startsWith("generate")) {
    return { ...base, messages: [{ role: "user", parts: [{ type: "text", text: uncalled(text, config.name) }] }] };
  }
  const lines = [...(await historyBefore(question, request, heard, config)), question];
  const isMe = (speakerUri: string) => isSameUri(speakerUri, config.speakerUri);
  const isNameless = isAloneWith(asker, lines, conversation, isMe);
  const messages = lines
    .map((line) => (isNameless && !isMe(line.speakerUri) ? { ...line, text: uncalled(line.text, config.name) } : line))
    .map((line) => messageOf(line, { name, nameOf, isMe, isNameless }))
    .map(({ role, content }) => ({ role, parts: [{ type: "text", text: content }] as Part[] }));
  messages.at(-1)?.parts.push(...read.map(partOf));
  return { ...base, messages };
}

/** The media that the workflow gets, and those that it does not. */
export function mediaFor(dialogEvent: DialogEvent, { takes }: Pick<NemoConfig, "takes">): Sorted {
  return sortedBy(({ kind }) => takes.includes(kind), mediaIn(dialogEvent));
}

function partOf(medium: Medium): Part {
  const { kind, url, data = url } = medium;
  if (kind === "audio") return { type: "input_audio", data, format: formatOf(medium) };
  return { type: kind === "image" ? "image_url" : "video_url", url };
}

/** The asker is the only other conversant, and the only other speaker in the history. */
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

/** Removes a leading `@Name`, unless nothing would be left. */
function uncalled(text: string, name: string): string {
  const said = text.trim();
  const call = `@${name}`;
  if (said.slice(0, call.length).toLowerCase() !== call.toLowerCase()) return text;
  const rest = said.slice(call.length);
  return /^[\p{L}\p{N}]/u.test(rest) ? text : rest.replace(/^[\s,:]+/u, "") || text;
}
