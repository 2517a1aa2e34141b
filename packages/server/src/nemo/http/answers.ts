import { type ChatMessage, textOfParts } from "@plenary/nemo";
import type { ServerContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import type { NemoParticipants } from "../participant.ts";
import { type AnswerOutcome, createAnswering, type ResponseStream } from "./answering.ts";
import type { HttpCaller } from "./caller.ts";
import { createExecutions, type Execution, type Executions } from "./executions.ts";
import {
  closeConversation,
  createKeptConversations,
  type KeptConversations,
  keyOfQuestion,
  lastExchange,
} from "./kept-conversations.ts";
import { createResponseWriter, endsInQuestion } from "./response-writer.ts";
import { beginHttpTurn, type HttpTurnOptions } from "./run-turn.ts";

type AnswersContext = ServerContext & { participants: NemoParticipants };

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

/** Begins and counts the turns of HTTP requests. */
export type HttpAnswers = {
  executions: Executions;
  /** Throws the problem. */
  begin(question: HttpQuestion): Promise<HttpAnswer>;
};

/** Requests that may wait for answers at the same time. */
const turnsMax = 256;

export function createHttpAnswers(context: AnswersContext): HttpAnswers {
  const executions = createExecutions(context);
  const kept = createKeptConversations(context);
  let turns = 0;
  return {
    executions,
    async begin(given) {
      if (turns >= turnsMax) throw new Problem("busy", { detail: `${turnsMax} requests wait for answers now` });
      if (given.isInteractive) executions.assertRoom(given.caller);
      turns += 1;
      const onLeft = once(() => {
        turns -= 1;
      });
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

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}
