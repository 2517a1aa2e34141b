import { isPrivate as isWhisper } from "@plenary/protocol";
import type { Remembered } from "@plenary/sdk";
import { type Agent, type Answer, createAgent, type Heard, type HeardUtterance } from "@plenary/sdk";
import { heed } from "../addressing.ts";
import { listenersTo, tellable } from "../disclosure.ts";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { answerTo } from "./answer.ts";
import { historyOf } from "./history.ts";
import { type Notes, newNotes, note, voicesIn } from "./notes.ts";
import { greeting, help, lessWords, notedAlone } from "./phrases.ts";
import { isSurely, understand } from "./understand.ts";

/** Keeps the record and answers questions about it, to each as far as he was entitled to hear it. */
export function createScribe(options: ReadyMadeOptions = {}): Agent {
  const manifest = manifestOf(
    {
      name: "scribe",
      conversationalName: "Scribe",
      synopsis: "Remembers who said what: summaries, questions about the history, transcripts.",
      openFloorRoles: { archivist: true },
      capabilities: [
        {
          keyphrases: [
            "scribe",
            "archivist",
            "summary",
            "summarise",
            "minutes",
            "notes",
            "transcript",
            "export",
            "who said what",
          ],
          descriptions: ["summarises a conversation, answers who said what and when, and exports the transcript"],
          supportedLayers: { input: ["text"], output: ["text"] },
        },
      ],
    },
    options,
  );
  const { speakerUri, conversationalName: name } = manifest.identification;
  const { recall } = options;
  // What a floor keeps, it can also erase: then nothing is kept here.
  const keep = (heard: Heard<Notes>) => {
    if (recall === undefined) note(heard.state, heard, new Date().toISOString());
  };
  const memoryOf = async ({ conversation, state }: Heard<Notes>): Promise<readonly Remembered[]> =>
    recall === undefined ? state.heard : recall(conversation.id, speakerUri);
  const listen = (heard: Heard<Notes>) => {
    keep(heard);
    return undefined;
  };
  return createAgent<Notes>({
    manifest,
    newState: newNotes,
    onInvite(heard) {
      keep(heard);
      return greeting;
    },
    onUtterance(heard) {
      // The end of the history in an invite has no `to` and is for us alone: it was kept with the invite.
      const isInHistory = heard.isWithInvite && heard.isAddressed && heard.event.to === undefined;
      if (!isInHistory) keep(heard);
      return reply(heard, () => memoryOf(heard), { speakerUri, name });
    },
    onOverheard: listen,
    onEvent: listen,
  });
}

type Self = { speakerUri: string; name: string };

type Memory = () => Promise<readonly Remembered[]>;

/** Nothing is recalled for words that are not for the scribe. */
async function reply(heard: HeardUtterance<Notes>, recalled: Memory, self: Self): Promise<Answer> {
  const { sender, conversation, dialogEvent, say } = heard;
  const { call, isPerson, isAlone, text } = heed(heard, self.name);
  if (call === "none") return undefined;
  const nowMs = Date.now();
  const request = understand(text, nowMs);
  if (request === undefined) return call === "called" && isPerson ? (isAlone ? notedAlone : help) : undefined;
  const asker = sender.speakerUri;
  // Who hears it is judged by the answer, not by the question.
  const isPrivate = isWhisper(say("?"));
  const memory = await recalled();
  const listeners = listenersTo({ asker, isPrivate, conversation }, self.speakerUri, voicesIn(memory));
  const { told, withheld } = tellable(memory, listeners);
  const frame = { self, asker, conversation, questionId: dialogEvent.id, nowMs };
  const history = historyOf(told, memory, frame);
  if (call === "open" && !isSurely(request, history.people)) return undefined;
  const { text: words, features, isAboutRecord } = await answerTo(request, { history, told, frame, isPrivate });
  const isLess = isAboutRecord && historyOf(withheld, memory, frame).said.length > 0;
  const event = say(isLess ? `${words}\n\n${lessWords}` : words);
  if (features !== undefined) Object.assign(event.parameters.dialogEvent.features, features);
  return event;
}
