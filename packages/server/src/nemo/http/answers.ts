import { hash } from "node:crypto";
import { type ChatMessage, textOfParts } from "@plenary/nemo";
import type { LifecycleContext, ProcessContext, ReceivingContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import { createCounts } from "../../keyed-counter.ts";
import type { HttpCaller } from "../client-identity.ts";
import type { NemoPerson } from "../participant.ts";
import type { NemoParticipants } from "../participants.ts";
import { createExecutions, type Execution } from "./executions.ts";
import {
  type AnswerOutcome,
  createAnswering,
  createResponseWriter,
  endsInQuestion,
  type ResponseStream,
} from "./response-writer.ts";
import { beginHttpTurn, type HttpTurnOptions } from "./run-turn.ts";

type AnswersContext = ProcessContext & ReceivingContext & LifecycleContext & { participants: NemoParticipants };

/** A message over HTTP: the person, the conversation, and the shape of a whole answer. */
export type HttpQuestion = Omit<HttpTurnOptions, "isGreeted"> & {
  caller: HttpCaller;
  /** How long its conversation stays open: for this request, for a while, or until a person closes it. */
  lasts: "once" | "a while" | "on";
  /** The history that the client sent, with the new message. */
  messages: readonly ChatMessage[];
  resultOf(text: string): object;
};

export type HttpAnswer = ResponseStream & { conversationId: string; execution(): Execution | undefined };

export type HttpAnswers = ReturnType<typeof createHttpAnswers>;

/** Requests that may wait for answers at the same time. */
const turnsMax = 256;

/** Begins and counts the turns of HTTP requests. */
export function createHttpAnswers(context: AnswersContext) {
  const executions = createExecutions(context);
  const kept = createKeptConversations(context);
  const turns = createCounts();
  return {
    executions,
    /** Throws the problem. */
    async begin(given: HttpQuestion): Promise<HttpAnswer> {
      if (turns.all() >= turnsMax) throw new Problem("busy", { detail: `${turnsMax} requests wait for answers now` });
      if (given.isInteractive) executions.assertRoom(given.caller);
      const onLeft = turns.add(given.person.speakerUri);
      const { question, note, putBack } = continued(given, kept);
      const { caller, joinRequest, lasts, resultOf } = question;
      const asked = { ...question, isAlone: lasts === "once", isGreeted: lasts === "on" };
      const turn = await beginHttpTurn(context, asked).catch(async (error: unknown) => {
        onLeft();
        if (putBack !== undefined) putBack();
        else await closeOrKeep(context, kept, question);
        throw error;
      });
      let execution: Execution | undefined;
      const answering = createAnswering({
        turn,
        writer: createResponseWriter(asked),
        onLeft,
        onError: context.onError,
        ask(content) {
          execution ??= executions.begin({ ...caller, answer: turn.answer });
          turn.keep();
          const events = execution.asked(content);
          return events.length === 0 ? undefined : { kind: "asked", events };
        },
        async onEnd(outcome) {
          execution?.finished(outcome, resultOf(outcome.text));
          await closeOrKeep(context, kept, question, outcome);
        },
        ...(note !== undefined && { note }),
      });
      return { ...answering, conversationId: joinRequest.conversationId, execution: () => execution };
    },
  };
}

const questionMs = 30 * 60_000;
const whileMs = 24 * 60 * 60_000;

/** After the answer: closes a conversation that was for this request alone, unless a question is open in it. */
async function closeOrKeep(
  context: AnswersContext,
  kept: KeptConversations,
  { caller, person, joinRequest: { conversationId }, message, lasts }: HttpQuestion,
  outcome?: AnswerOutcome,
): Promise<void> {
  if (lasts === "on") return;
  const here = { conversationId, person };
  if (lasts === "a while") return kept.keep(here, { ms: whileMs });
  if (outcome?.ending !== "asked") return closeConversation(context, conversationId, person);
  const key = keyOfQuestion(caller, textOfParts(message.parts), outcome.text);
  kept.keep(here, { key, ms: questionMs });
}

const noLongerOpen =
  "The question above is no longer open here. To go on with a conversation, send the header Conversation-Id with each request.";

type ContinuedQuestion = { question: HttpQuestion; note?: string; putBack?: () => void };

/** A client without Conversation-Id continues the conversation whose question ends its history. */
function continued(question: HttpQuestion, kept: KeptConversations): ContinuedQuestion {
  const { caller, lasts, messages, joinRequest } = question;
  const last = lasts === "once" ? lastExchange(messages) : undefined;
  if (last === undefined) return { question };
  const key = keyOfQuestion(caller, last.message, last.answer);
  const found = kept.take(key);
  if (found === undefined) return { question, ...(endsInQuestion(last.answer) && { note: noLongerOpen }) };
  const { person, conversationId } = found;
  return {
    question: { ...question, person, joinRequest: { ...joinRequest, conversationId } },
    putBack: () => kept.keep({ person, conversationId }, { key, ms: questionMs }),
  };
}

type OpenConversation = { conversationId: string; person: NemoPerson };

type KeptConversations = ReturnType<typeof createKeptConversations>;
type KeepingContext = Pick<
  ProcessContext & ReceivingContext & LifecycleContext,
  "clock" | "receiver" | "onError" | "drained"
>;
type KeptEntry = OpenConversation & { key?: string; cancel: () => void };

const keptMax = 1_000;
const perPersonMax = 32;

/** Conversations without a Conversation-Id that stay open for a while. Bounded in number, forgotten at a restart. */
function createKeptConversations(context: KeepingContext) {
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
    /** Keeps it until a request takes it. Closes it after this time, or when newer ones need the room. */
    keep({ conversationId, person }: OpenConversation, { key, ms }: { key?: string; ms: number }): void {
      release(conversationId);
      makeRoom(person.speakerUri);
      const cancel = drained.aborted ? () => {} : clock.at(clock.now() + ms, () => end(conversationId));
      all.set(conversationId, { conversationId, person, cancel, ...(key !== undefined && { key }) });
    },
    /** Removes and returns the newest one with this key. Undefined when several persons have the same key. */
    take(wanted: string): OpenConversation | undefined {
      const matching = [...all.values()].filter(({ key }) => key === wanted);
      const found = matching.at(-1);
      const isClear = matching.every(({ person }) => person.speakerUri === found?.person.speakerUri);
      return found && isClear ? release(found.conversationId) : undefined;
    },
  };
}

/** The key of an open question: the person, the last message of that person, and the answer. */
function keyOfQuestion(caller: HttpCaller, message: string, answer: string): string {
  const speakerUri = caller.isProven ? caller.person.speakerUri : "";
  return hash("sha256", JSON.stringify([speakerUri, normalize(message), normalize(answer)]), "base64url");
}

/** The last message and answer before the new message. */
function lastExchange(messages: readonly ChatMessage[]): { message: string; answer: string } | undefined {
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

/** Closes a conversation that was opened for one request. */
async function closeConversation(
  { receiver, onError }: Pick<ProcessContext & ReceivingContext, "receiver" | "onError">,
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
