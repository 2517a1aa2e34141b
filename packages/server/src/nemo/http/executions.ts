import { type PromptContent, parseInteractionResponse } from "@plenary/nemo";
import type { Context } from "hono";
import type { LifecycleContext, ProcessContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import { readJsonObject } from "../../routing/body.ts";
import type { Env, Mount } from "../../routing/guards.ts";
import type { CallerOf, HttpCaller } from "../client-identity.ts";
import { sentenceOf } from "../error-text.ts";
import type { AnswerOutcome } from "./response-writer.ts";
import type { HttpTurn } from "./run-turn.ts";

type ExecutionsContext = Pick<ProcessContext & LifecycleContext, "clock" | "ids" | "drained">;

export type Execution = ReturnType<typeof createExecution>;
export type Executions = ReturnType<typeof createExecutions>;

type ExecutionEvent = { event: "interaction_required" | "oauth_required"; data: object };
type ExecutionCaller = HttpCaller & Pick<HttpTurn, "answer">;
type StoredExecution = { execution: Execution; by: HttpCaller; isOver: boolean };

const executionsMax = 1_000;
const perPersonMax = 32;
/** Running and finished executions. */
const keptMax = 2_000;
const keptMs = 30 * 60_000;

export function createExecutions({ clock, ids, drained }: ExecutionsContext) {
  const all = new Map<string, StoredExecution>();
  const timers = new Set<() => void>();
  drained.addEventListener("abort", () => {
    for (const cancel of timers) cancel();
  });
  const forgetLater = (id: string) => {
    if (drained.aborted) return;
    const cancel = clock.at(clock.now() + keptMs, () => {
      timers.delete(cancel);
      all.delete(id);
    });
    timers.add(cancel);
  };
  return {
    /** Throws the problem: too many executions wait, in total or of this person. */
    assertRoom({ person }: HttpCaller): void {
      const waiting = [...all.values()].filter(({ isOver }) => !isOver);
      const own = waiting.filter(({ by }) => by.person.speakerUri === person.speakerUri);
      if (waiting.length < executionsMax && own.length < perPersonMax) return;
      const fix = "answer the questions that wait: POST /executions/ID/interactions/ID/response";
      throw new Problem("busy", { detail: "too many executions wait for answers", fix });
    },
    begin({ answer, ...by }: ExecutionCaller): Execution {
      const oldest = all.size < keptMax ? undefined : [...all].find(([, { isOver }]) => isOver)?.[0];
      if (oldest !== undefined) all.delete(oldest);
      const id = ids.newId();
      const kept: StoredExecution = {
        by,
        isOver: false,
        execution: createExecution({ id, clock, ids, answer }, () => {
          kept.isOver = true;
          forgetLater(id);
        }),
      };
      all.set(id, kept);
      return kept.execution;
    },
    of(id: string, caller: HttpCaller): Execution {
      const kept = all.get(id);
      if (kept !== undefined && isOf(kept.by, caller)) return kept.execution;
      const fix =
        "the floor keeps an execution for 30 minutes after its end, and not over a restart: send the message again";
      throw new Problem("not-found", { detail: "this execution is unknown, or not yours", fix });
    },
  };
}

/** A caller without proof needs the id of the execution; every other caller must be the same person. */
function isOf(by: HttpCaller, caller: HttpCaller): boolean {
  return by.person.speakerUri === caller.person.speakerUri || (!by.isProven && !caller.isProven);
}

type PendingPrompt = { id: string; content: PromptContent; address?: string; isAddressSent: boolean; untilMs?: number };

type ExecutionParts = Pick<ExecutionsContext, "clock" | "ids"> & Pick<ExecutionCaller, "answer"> & { id: string };

/** A turn with a question. The client polls its status and posts the answer. */
function createExecution({ id, clock, ids, answer }: ExecutionParts, onOver: () => void) {
  const resolved = new Set<string>();
  let pending: PendingPrompt | undefined;
  let address: string | undefined;
  let over: object | undefined;
  const waiting = () => {
    const isLate = pending?.untilMs !== undefined && pending.untilMs <= clock.now();
    return isLate ? undefined : pending;
  };
  return {
    /** The events for this prompt. An address for consent has none: it goes out with the question that follows it. */
    asked(content: PromptContent): ExecutionEvent[] {
      if (content.input_type === "oauth_consent") {
        address = content.text;
        return [];
      }
      if (pending !== undefined) resolved.add(pending.id);
      const { timeout } = content;
      pending = {
        id: ids.newId(),
        content,
        isAddressSent: false,
        ...(address !== undefined && { address }),
        ...(timeout !== null && { untilMs: clock.now() + timeout * 1_000 }),
      };
      address = undefined;
      const data = promptData(id, pending);
      const eventOf = (event: ExecutionEvent["event"]) => ({
        event,
        data: { event_type: event, status: event, ...data },
      });
      const consent = pending.address === undefined ? [] : [eventOf("oauth_required")];
      return [...consent, eventOf("interaction_required")];
    },
    /** The body of the status request. */
    status(): object {
      if (over !== undefined) return { execution_id: id, ...over };
      const now = waiting();
      if (now === undefined) return { execution_id: id, status: "running" };
      // The person gives consent at the address, then answers the question here.
      const isConsent = now.address !== undefined && !now.isAddressSent;
      now.isAddressSent = true;
      return { status: isConsent ? "oauth_required" : "interaction_required", ...promptData(id, now) };
    },
    /** Throws the problem: the interaction is unknown or over, or the body does not answer it. */
    async answer(interactionId: string, body: unknown): Promise<void> {
      const now = waiting();
      if (now?.id !== interactionId) throw notAsked(interactionId === pending?.id || resolved.has(interactionId));
      const read = parseInteractionResponse(body);
      if (!read.ok)
        throw new Problem("bad-request", { detail: read.error.details, fix: "the prompt says what it takes" });
      const error = await answer(read.texts);
      if (error !== undefined)
        throw new Problem("bad-request", { detail: error.details, fix: "look at the prompt again" });
      resolved.add(interactionId);
      if (pending === now) pending = undefined;
    },
    finished({ error, ending }: AnswerOutcome, result: object): void {
      const words = error === undefined ? undefined : sentenceOf(error);
      const failed =
        ending === "cut"
          ? "This execution was cut: a newer request of this person continues the conversation, or the floor closed."
          : words;
      over = failed === undefined ? { status: "completed", result } : { status: "failed", error: failed };
      onOver();
    },
  };
}

function promptData(executionId: string, { id, content, address }: PendingPrompt) {
  const url = `/executions/${executionId}`;
  return {
    execution_id: executionId,
    status_url: url,
    interaction_id: id,
    prompt: content,
    response_url: `${url}/interactions/${id}/response`,
    ...(address !== undefined && { auth_url: address, oauth_state: stateIn(address) ?? id }),
  };
}

function notAsked(isResolved: boolean): Problem {
  if (!isResolved)
    throw new Problem("not-found", { detail: "no such interaction", fix: "GET /executions/ID names the open one" });
  const detail = "this question was answered already, or its time is up";
  return new Problem("bad-request", { detail, fix: "GET /executions/ID has the current status" });
}

function stateIn(address: string): string | undefined {
  return URL.canParse(address) ? (new URL(address).searchParams.get("state") ?? undefined) : undefined;
}

/** The routes for the status of an execution and for answers. */
export function mountExecutions(
  mount: Mount,
  { executions, personIn, bodyBytesMax }: { executions: Executions; personIn: CallerOf; bodyBytesMax: number },
): void {
  const found = async (c: Context<Env>) => executions.of(c.req.param("execution") ?? "", await personIn(c));
  mount("GET /executions/:execution", async (c) => c.json((await found(c)).status()));
  mount("POST /executions/:execution/interactions/:interaction/response", async (c) => {
    const execution = await found(c);
    const body = await readJsonObject(c.req.raw, bodyBytesMax);
    await execution.answer(c.req.param("interaction") ?? "", body);
    return c.body(null, 204);
  });
}
