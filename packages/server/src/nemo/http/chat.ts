import { type ChatRequest, parseChatRequest } from "@plenary/nemo";
import type { Context } from "hono";
import type { AgentsContext, ConversationContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import { readJsonObject } from "../../routing/body.ts";
import type { Env, Mount } from "../../routing/guards.ts";
import type { CallerOf } from "../client-identity.ts";
import { floorModel } from "../models.ts";
import type { NemoParticipants } from "../participants.ts";
import { createHttpAnswers, type HttpAnswer } from "./answers.ts";
import { type Endpoint, endpointPaths, endpoints, errorResponse, type HttpStyle } from "./endpoints.ts";
import { mountExecutions } from "./executions.ts";
import { conversationOfRequest, questionParts } from "./request.ts";
import { type AnswerHead, createHttpLines, headersOf, streamed, wholeAnswer } from "./response-format.ts";
import { mountResponses } from "./responses.ts";

type ChatContext = ConversationContext & AgentsContext & { participants: NemoParticipants; personIn: CallerOf };

/** The HTTP interface for the toolkit's and OpenAI's clients: a request has a message, its response the answer. */
export function mountNemoHttp(mount: Mount, context: ChatContext): void {
  mount("GET /health", (c) => c.json({ status: "healthy" }));
  const answers = createHttpAnswers(context);
  mountExecutions(mount, { ...context, executions: answers.executions });
  mountResponses(mount, { ...context, answers });
  for (const path of endpointPaths) {
    const { style, isStream, isInteractive }: Endpoint = endpoints[path];
    mount(`POST ${path}`, async (c) => {
      const caller = await context.personIn(c);
      const read = parseChatRequest(await readJsonObject(c.req.raw, context.bodyBytesMax));
      if (!read.ok) return errorResponse(read.error, path);
      const isStreamed = isStream === "asked" ? read.request.isStream : isStream;
      const head = headOf(c, context, read.request);
      const answer = await answers.begin({
        ...questionParts(c, read.request, { caller, context, conversation: conversationOfRequest(c, caller, context) }),
        isStreamed,
        isInteractive: isInteractiveIn(c) ?? isInteractive,
        resultOf: (text) => wholeAnswer(style, head, text),
      });
      const headers = headersOf(answer, read.request.ignored);
      if (isStreamed) return streamed(context.clock, answer, createHttpLines(style, head), headers);
      return whole({ answer, style, path, head }, headers);
    });
  }
}

/** The header Plenary-Interactive; without it each path has its default. */
function isInteractiveIn(c: Context<Env>): boolean | undefined {
  const given = c.req.header("Plenary-Interactive");
  if (given === undefined || given === "") return undefined;
  if (given === "true" || given === "false") return given === "true";
  throw new Problem("bad-request", { detail: "the header Plenary-Interactive is `true` or `false`" });
}

function headOf(
  c: Context<Env>,
  { ids, clock }: ChatContext,
  { model = floorModel, wantsUsage }: ChatRequest,
): AnswerHead {
  const stepTypes = stepTypesIn(c.req.query("filter_steps"));
  return {
    id: `chatcmpl-${ids.newId()}`,
    model,
    createdS: Math.floor(clock.now() / 1_000),
    wantsUsage,
    ...(stepTypes && { stepTypes }),
  };
}

/** The toolkit's `filter_steps`: types with commas between them, or `none`. */
function stepTypesIn(given = ""): string[] | undefined {
  if (given === "") return undefined;
  return given.toLowerCase() === "none" ? [] : given.split(",").map((type) => type.trim().toUpperCase());
}

type Answered = { answer: HttpAnswer; style: HttpStyle; path: string; head: AnswerHead };

async function whole({ answer, style, path, head }: Answered, named: Record<string, string>): Promise<Response> {
  for (let piece = await answer.next(); piece !== undefined; piece = await answer.next()) {
    if (piece.kind !== "asked") continue;
    await answer.leave();
    return Response.json(answer.execution()?.status(), { status: 202, headers: named });
  }
  const { error, text, traceId } = answer.outcome();
  const headers = { ...named, ...(traceId !== undefined && { "observability-trace-id": traceId }) };
  if (error !== undefined) return errorResponse(error, path, headers);
  return Response.json(wholeAnswer(style, head, text), { headers });
}
