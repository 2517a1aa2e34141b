import { declineInvite, type EventOf, isSameUri, textOf, utterance } from "@plenary/protocol";
import type { Recall } from "@plenary/sdk";
import { type Agent, type Answer, createAgent, type Heard, type HeardUtterance, type Streamed } from "@plenary/sdk";
import { answerToNoText } from "../addressing.ts";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { isWordless, type Medium, mediaIn, type Sorted, sortedBy, unreadWords, wordsOf } from "../media.ts";
import { completeWith } from "./completion.ts";
import { type Line, linesTold } from "./history.ts";
import { hear, historyBefore, keepOwn, whisperedWith } from "./listening.ts";
import { type Matter, matterOf, mayAnswer } from "./matter.ts";
import { type LlmState, newKnown } from "./memory.ts";
import { namesIn, plainName } from "./names.ts";
import type { Begun } from "./part.ts";
import { type Message, messagesFor } from "./prompt.ts";
import { begin, beginningOf, leave, tell } from "./reply.ts";
import { type LlmSettings, type Mind, mindOf } from "./settings.ts";
import { outOfDomain, sieved } from "./sieve.ts";

type Self = Mind & { speakerUri: string; recall: Recall | undefined };

/** Any model behind an OpenAI-compatible endpoint, as a conversant. */
export function createLlm(settings: LlmSettings & ReadyMadeOptions): Agent {
  const mind = mindOf(settings);
  const manifest = llmManifest(mind, settings);
  const { speakerUri } = manifest.identification;
  const self: Self = { ...mind, speakerUri, recall: settings.recall };
  return createAgent<LlmState>({
    manifest,
    greeting: `Hello, I am ${mind.name}. ${mind.policy === "open" ? "Ask me anything." : `Write @${mind.name} or whisper to me, and I answer.`}`,
    newState: () => ({ ...newKnown(), begun: undefined }),
    onError: mind.onError,
    onInvite: (heard) => arrive(heard, self),
    onUtterance(heard) {
      hear(heard, self);
      return respond(heard, self);
    },
    onOverheard(heard) {
      hear(heard, self);
      return undefined;
    },
  });
}

function llmManifest({ name, model, takes }: Mind, options: ReadyMadeOptions) {
  // Several may run on one machine, each without knowing its own address.
  const own = options.serviceUrl === undefined ? `llm-${name.toLowerCase().replaceAll(/[^a-z\d]+/gu, "-")}` : "llm";
  return manifestOf(
    {
      name: own,
      conversationalName: name,
      synopsis: `Answers with the language model ${model}.`,
      capabilities: [
        {
          keyphrases: ["llm", "language model", "chat", name],
          descriptions: ["answers questions in free text"],
          supportedLayers: { input: [...takes], output: ["text"] },
        },
      ],
    },
    options,
  );
}

/** Spec 1.15: whoever is invited for a task that is not its own declines, so that another can be asked. */
async function arrive(heard: Heard<LlmState, EventOf<"invite">>, self: Self): Promise<Answer> {
  const { event, state, sender, conversation } = heard;
  const to = { speakerUri: sender.speakerUri };
  state.arrival = conversation;
  state.told = linesTold(event, sender.speakerUri);
  state.begun = undefined;
  const task = self.instructions === undefined ? undefined : event.parameters?.dialogHistory?.at(-1);
  if (task === undefined || isSameUri(task.speakerUri, self.speakerUri)) return undefined;
  const text = textOf(task);
  const along = { event: utterance(task), isAddressed: true, isWithInvite: true, dialogEvent: task, text };
  const matter = matterOf({ ...heard, ...along }, self);
  if (matter === undefined) return undefined;
  const { answer } = await ask(
    { question: { ...task, text: wordsOf(text, mediaIn(task)) }, media: noMedia, matter },
    heard,
    self,
  );
  state.begun = { id: task.id, answer };
  const beginning = await beginningOf(answer, self.timeouts.patienceMs);
  if (beginning?.kind !== "outOfDomain") return undefined;
  leave(answer);
  return declineInvite({ to, reason: outOfDomain });
}

async function respond(heard: HeardUtterance<LlmState>, self: Self): Promise<Answer> {
  const { state, dialogEvent, text, say } = heard;
  const matter = matterOf(heard, self);
  const begun = takeBegun(state, dialogEvent.id);
  if (matter === undefined || !mayAnswer(matter.kind, state, Date.now())) {
    if (begun !== undefined) leave(begun);
    return answerToNoText(heard);
  }
  const media = sortedBy((medium) => isTaken(medium, self), mediaIn(dialogEvent));
  const words = wordsOf(text, mediaIn(dialogEvent));
  const question = { id: dialogEvent.id, speakerUri: matter.asker, text: words, ...whisperedWith(matter.whisperer) };
  if (media.unread.length > 0 && media.read.length === 0 && isWordless(text, media.unread)) {
    return matter.kind === "agent" ? undefined : unreadWords(media, text);
  }
  const asked = begun === undefined ? await ask({ question, media, matter }, heard, self) : { answer: begun, media };
  const told = await tell(asked.answer, {
    ...{ matter, say, patienceMs: self.timeouts.patienceMs },
    onEnd(said, ending) {
      if (ending.kind === "failed") self.onError(ending.error);
      keepOwn(said, matter.whisperer, heard, self);
    },
  });
  return matter.kind === "agent" ? told : withUnread(told, asked, heard);
}

/** A model is told sound only as it is, and video never. */
function isTaken({ kind, data }: Medium, { takes }: Self): boolean {
  return takes.includes(kind) && (kind === "image" || (kind === "audio" && data !== undefined));
}

/** After the answer, whoever sent media learns what of them the model did not read. */
function withUnread(told: Answer, asked: Pick<Asked, "media">, heard: HeardUtterance<LlmState>): Answer {
  if (asked.media.read.length + asked.media.unread.length === 0) return told;
  return noted();
  async function* noted(): AsyncGenerator<Streamed> {
    if (typeof told === "string") yield told;
    else if (told !== undefined && Symbol.asyncIterator in told) yield* told;
    else if (told !== undefined) yield* [told].flat();
    // Known only now: the model may have refused them.
    const { media } = asked;
    if (media.unread.length > 0) yield heard.whisper(unreadWords(media, heard.text));
  }
}

/** The answer to that, if it was begun with the invite. One to something else nobody waits for. */
function takeBegun(state: LlmState, id: string): Begun | undefined {
  const { begun } = state;
  state.begun = undefined;
  if (begun === undefined || begun.id === id) return begun?.answer;
  leave(begun.answer);
  return undefined;
}

type Wanted = { question: Line; media: Sorted; matter: Matter };

/** `media` changes when the model refuses them. */
type Asked = { answer: Begun; media: Sorted };

const noMedia: Sorted = { read: [], unread: [] };

async function ask({ question, media, matter }: Wanted, heard: Heard<LlmState>, self: Self): Promise<Asked> {
  const { signal } = heard;
  const mayDecline = self.instructions !== undefined || matter.call === "open";
  const history = await historyBefore(question, matter, heard, self);
  const messages = promptFor({ question, matter, history, mayDecline }, heard, self);
  const asked = { media };
  const parts = completeWith(self, { messages, media: media.read, signal }, () => {
    asked.media = { read: [], unread: [...media.read, ...media.unread] };
  });
  const answer = begin(sieved(parts, { name: self.name, mayDecline }), signal);
  return Object.assign(asked, { answer });
}

type Case = { question: Line; matter: Matter; history: readonly Line[]; mayDecline: boolean };

function promptFor(
  { question, matter, history, mayDecline }: Case,
  { conversation, speakerKind }: Heard<LlmState>,
  self: Self,
): Message[] {
  const name = plainName(self.name);
  const nameOf = namesIn(conversation, name);
  const isMe = (speakerUri: string) => isSameUri(speakerUri, self.speakerUri);
  const others = (conversation.conversants ?? []).map(({ identification }) => identification.speakerUri);
  const presentOf = (speakerUri: string) => ({
    name: nameOf(speakerUri),
    isPerson: speakerKind(speakerUri) !== "agent",
  });
  return messagesFor({
    ...{ name, question, history, mayDecline, nameOf, isMe },
    instructions: self.instructions,
    present: others.filter((speakerUri) => !isMe(speakerUri)).map(presentOf),
    asker: { name: nameOf(matter.asker), isPerson: matter.kind !== "agent" },
    manner: matter.whisperer !== undefined ? "whispered" : matter.call === "open" ? "open" : "called",
    charactersMax: self.historyMax.characters,
  });
}
