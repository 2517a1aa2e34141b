import type { Part, RunEvent, RunRequest } from "@plenary/nemo";
import { type Conversation, type DialogEvent, type EventOf, foldUri, isSameUri } from "@plenary/protocol";
import type { StreamPart, UtteranceInput } from "@plenary/sdk";
import { type HistoryLine, historyBefore, whisperedWith } from "../llm/history.ts";
import { messageOf, namesIn, plainName } from "../llm/prompt.ts";
import { formatOf, type Medium, mediaIn, type Sorted, sortedBy, wordsOf } from "../media.ts";
import { withFeatures } from "../with-features.ts";
import { type ReplyContext, runUntilPause } from "./run-until-pause.ts";
import type { NemoContext, NemoState, QueuedUtterance, WorkflowRun } from "./session.ts";
import type { NemoConfig } from "./settings.ts";

type Utterance = UtteranceInput<NemoState>;

/** Starts a run of the workflow in the session. */
export function startRun(queued: QueuedUtterance, agent: NemoContext): WorkflowRun {
  const { session } = queued;
  const { asker, kind } = queued.request;
  const run: WorkflowRun = {
    session,
    asker,
    isByAgent: kind === "agent",
    happenings: happeningsOf(queued, agent),
    next: undefined,
    waiting: undefined,
    hadUnrelatedText: false,
    isExpired: false,
    steps: [],
    trace: undefined,
  };
  session.run = run;
  return run;
}

async function* happeningsOf(queued: QueuedUtterance, { config }: NemoContext): AsyncGenerator<RunEvent> {
  const { session } = queued;
  const { run } = session;
  const request = await requestFor(queued, config);
  // The run may have been stopped before the request was ready.
  if (session.run === run && session.client !== undefined) yield* session.client.run(request);
}

export function replyContextOf(heard: Utterance, { config }: NemoContext): ReplyContext {
  const whisperer = heard.replyTo?.private === true ? heard.sender.speakerUri : undefined;
  return { ...heard, whisperer, untilMs: config.clock.now() + config.patienceMs };
}

/** A run for another person: its text becomes an utterance of its own. */
export async function* runSeparately(
  run: WorkflowRun,
  speak: (text: string) => EventOf<"utterance">,
  context: ReplyContext,
  agent: NemoContext,
): AsyncGenerator<StreamPart> {
  let text = "";
  const features = {};
  const rest: StreamPart[] = [];
  for await (const piece of runUntilPause(run, context, agent)) {
    if (typeof piece === "string") {
      text += piece;
      // Keeps the answer in progress alive.
      yield "";
    } else if ("step" in piece) {
      // The draft belongs to the person who is answered here: steps for another person are not shown in it.
      yield "";
    } else if ("features" in piece) Object.assign(features, piece.features);
    else rest.push(piece);
  }
  if (text.trim() !== "") yield withFeatures(speak(text), features);
  yield* rest;
}

/** The utterance and its history as a request to the workflow. */
async function requestFor({ heard, request }: QueuedUtterance, config: NemoConfig): Promise<RunRequest> {
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
