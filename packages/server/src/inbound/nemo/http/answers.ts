import { Problem } from "../../../errors.ts";
import type { Running } from "../../../running.ts";
import type { NemoSeats } from "../seat.ts";
import { type Answering, createAnswering } from "./answering.ts";
import { closeConversation } from "./close.ts";
import { createExecutions, type Execution, type Executions } from "./executions.ts";
import type { HttpCaller } from "./person.ts";
import { createHttpTelling } from "./telling.ts";
import { beginHttpTurn, type HttpTurnOptions } from "./turn.ts";

type Desk = Running & { seats: NemoSeats };

/** A message over HTTP: who says it where, and what its answer looks like as a whole. */
export type HttpQuestion = HttpTurnOptions & {
  caller: HttpCaller;
  resultOf(text: string): object;
};

export type HttpAnswer = Answering & { conversationId: string; execution(): Execution | undefined };

/** Everything that is asked over HTTP now. */
export type HttpAnswers = {
  executions: Executions;
  /** Throws the problem. */
  begin(question: HttpQuestion): Promise<HttpAnswer>;
};

/** So many wait for answers at once. */
const turnsMax = 256;

export function createHttpAnswers(desk: Desk): HttpAnswers {
  const executions = createExecutions(desk);
  let turns = 0;
  return {
    executions,
    async begin(question) {
      const { caller, person, wish, isAlone, resultOf } = question;
      if (turns >= turnsMax) throw new Problem("busy", { detail: `${turnsMax} requests wait for answers now` });
      turns += 1;
      const release = once(() => {
        turns -= 1;
      });
      const close = async () => {
        if (isAlone) await closeConversation(desk, wish.conversationId, person);
      };
      const turn = await beginHttpTurn(desk, question).catch(async (error: unknown) => {
        release();
        await close();
        throw error;
      });
      let execution: Execution | undefined;
      const answering = createAnswering({
        ...{ turn, telling: createHttpTelling(question), onLeft: release, onError: desk.onError },
        ask(content) {
          execution ??= executions.begin({ ...caller, answer: turn.answer });
          turn.keep();
          const events = execution.asked(content);
          return events.length === 0 ? undefined : { kind: "asked", events };
        },
        async onEnd(outcome) {
          execution?.finished(outcome, resultOf(outcome.text));
          await close();
        },
      });
      return { ...answering, conversationId: wish.conversationId, execution: () => execution };
    },
  };
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}
