import { isPrivate as isWhisper } from "@plenary/protocol";
import {
  type Agent,
  type Answer,
  createAgent,
  type HandlerInput,
  type HistoryEntry,
  type UtteranceInput,
} from "@plenary/sdk";
import { addressingOf } from "../addressing.ts";
import { audienceOf, usableFor } from "../disclosure.ts";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { answerTo, greeting, help, notedAlone, partlyWithheld } from "./answer-request.ts";
import { type HeardEvents, newHeardEvents, recordEvent, speakersIn } from "./heard-events.ts";
import { historyOf, type RecordContext } from "./history.ts";
import { isClearlyForScribe, parseRequest } from "./parse-request.ts";

/** Keeps the record and answers questions about it, within what the listeners of the answer were entitled to hear. */
export function createScribe(options: ReadyMadeOptions = {}): Agent {
  const manifest = manifestOf(
    {
      name: "scribe",
      conversationalName: "Scribe",
      synopsis: "Remembers who said what: summaries, questions about the history, transcripts.",
      openFloorRoles: { archivist: true },
      keyphrases: [
        ...["scribe", "archivist", "summary", "summarise", "minutes", "notes", "transcript", "export"],
        "who said what",
      ],
      descriptions: ["summarises a conversation, answers who said what and when, and exports the transcript"],
    },
    options,
  );
  const { speakerUri, conversationalName: name } = manifest.identification;
  const { readHistory } = options;
  // With the floor's log the scribe keeps nothing itself, so that erased utterances stay erased.
  const keep = (heard: HandlerInput<HeardEvents>) => {
    if (readHistory === undefined) recordEvent(heard.state, heard, new Date().toISOString());
  };
  const memoryOf = async ({ conversation, state }: HandlerInput<HeardEvents>): Promise<readonly HistoryEntry[]> =>
    readHistory === undefined ? state.events : readHistory(conversation.id, speakerUri);
  const listen = (heard: HandlerInput<HeardEvents>) => {
    keep(heard);
    return undefined;
  };
  return createAgent<HeardEvents>({
    manifest,
    newState: newHeardEvents,
    onInvite(heard) {
      keep(heard);
      return greeting;
    },
    onUtterance(heard) {
      // The last utterance of an invite's history has no `to`; it was kept with the invite.
      const isInHistory = heard.isWithInvite && heard.isAddressed && heard.event.to === undefined;
      if (!isInHistory) keep(heard);
      return reply(heard, () => memoryOf(heard), { speakerUri, name });
    },
    onOverheard: listen,
    onEvent: listen,
  });
}

/** Reads the memory only for utterances that are for the scribe. */
async function reply(
  heard: UtteranceInput<HeardEvents>,
  recalled: () => Promise<readonly HistoryEntry[]>,
  self: RecordContext["self"],
): Promise<Answer> {
  const { sender, conversation, dialogEvent, say } = heard;
  const { call, isPerson, isAlone, text } = addressingOf(heard, self.name);
  if (call === "none") return undefined;
  const nowMs = Date.now();
  const request = parseRequest(text, nowMs);
  if (request === undefined) return call === "called" && isPerson ? (isAlone ? notedAlone : help) : undefined;
  const asker = sender.speakerUri;
  // The answer decides whether this is private, not the question.
  const isPrivate = isWhisper(say("?"));
  const memory = await recalled();
  const listeners = audienceOf({ asker, isPrivate, conversation }, self.speakerUri, speakersIn(memory));
  const { usable: visible, withheld } = usableFor(memory, listeners);
  const record = { self, asker, conversation, questionId: dialogEvent.id, nowMs };
  const history = historyOf(visible, memory, record);
  if (call === "open" && !isClearlyForScribe(request, history.people)) return undefined;
  const {
    text: words,
    features,
    isAboutRecord,
  } = await answerTo(request, { history, visible, conversation, isPrivate });
  const isLess = isAboutRecord && historyOf(withheld, memory, record).said.length > 0;
  const event = say(isLess ? `${words}\n\n${partlyWithheld}` : words);
  if (features !== undefined) Object.assign(event.parameters.dialogEvent.features, features);
  return event;
}
