import {
  createResponseEvents,
  parseResponsesRequest,
  type ResponseHead,
  type ResponsesRequest,
  responseObject,
} from "@plenary/nemo";
import type { Context } from "hono";
import type { AgentsContext, ConversationContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import { readJsonObject } from "../../routing/body.ts";
import type { Env, Mount } from "../../routing/guards.ts";
import type { CallerOf, HttpCaller } from "../client-identity.ts";
import { floorModel } from "../models.ts";
import type { HttpAnswer, HttpAnswers } from "./answers.ts";
import { errorResponse, openAiErrorOf } from "./endpoints.ts";
import { conversationOfRequest, nameIn, questionParts } from "./request.ts";
import { type HttpLines, headersOf, streamed } from "./response-format.ts";

type ResponsesContext = ConversationContext & AgentsContext & { personIn: CallerOf; answers: HttpAnswers };

const path = "/v1/responses";

/** OpenAI's Responses interface: each response has an id, and the next request continues from that id. */
export function mountResponses(mount: Mount, context: ResponsesContext): void {
  mount(`POST ${path}`, async (c) => {
    const caller = await context.personIn(c);
    const read = parseResponsesRequest(await readJsonObject(c.req.raw, context.bodyBytesMax));
    if (!read.ok) return errorResponse(read.error, path);
    const { request } = read;
    const conversation = await conversationFor(c, request, { caller, context });
    const head = headOf(context, request, conversation.conversationId);
    const completed = (text: string) => responseObject(head, { status: "completed", text });
    const answer = await context.answers.begin({
      ...questionParts(c, request, { caller, context, conversation }),
      isStreamed: request.isStream,
      isInteractive: false,
      resultOf: completed,
    });
    const headers = headersOf(answer, request.ignored);
    if (request.isStream) return streamed(context.clock, answer, linesOf(head, answer), headers);
    while ((await answer.next()) !== undefined);
    const { error, text } = answer.outcome();
    if (error !== undefined) return errorResponse(error, path, headers);
    return Response.json(completed(text), { headers });
  });
  mount(`GET ${path}/:response`, async (c) => {
    await context.personIn(c);
    const fix =
      "GET /api/v1/conversations/ID/log has what was said; the ID is in the header Conversation-Id of each answer";
    throw new Problem("not-found", { detail: "this floor does not store responses", fix });
  });
}

type RequestContext = { caller: HttpCaller; context: ResponsesContext };

/** The conversation of the previous response, a new one that stays open for a while, or one for this request alone. */
async function conversationFor(
  c: Context<Env>,
  { previousId, isStored }: ResponsesRequest,
  { caller, context }: RequestContext,
) {
  const named = nameIn(c, "Conversation-Id");
  const before = previousId === undefined ? undefined : await conversationOf(context, previousId);
  if (named !== undefined || (before === undefined && !isStored)) return conversationOfRequest(c, caller, context);
  const conversationId = before ?? context.ids.newId();
  return { conversationId, person: caller.personAt(conversationId), lasts: "a while" as const };
}

/** The id contains the id of the conversation, so the floor finds it after a restart. */
function responseId(conversationId: string, id: string): string {
  return `resp_${Buffer.from(JSON.stringify([conversationId, id])).toString("base64url")}`;
}

async function conversationOf({ log }: ResponsesContext, previousId: string): Promise<string> {
  const conversationId = conversationIn(previousId);
  if (conversationId !== undefined && (await log.load(conversationId)) !== undefined) return conversationId;
  const detail = "previous_response_id: this floor gave no such response";
  const fix = "send the id of a response without changes, or leave it out and start a new conversation";
  throw new Problem("not-found", { detail, fix, pointer: "/previous_response_id" });
}

function conversationIn(id: string): string | undefined {
  try {
    const held: unknown = JSON.parse(Buffer.from(id.replace(/^resp_/u, ""), "base64url").toString());
    return Array.isArray(held) && typeof held[0] === "string" ? held[0] : undefined;
  } catch {
    return undefined;
  }
}

function headOf({ ids, clock }: ResponsesContext, request: ResponsesRequest, conversationId: string): ResponseHead {
  const { model = floorModel, isStored, previousId, instructions } = request;
  return {
    id: responseId(conversationId, ids.newId()),
    messageId: `msg_${ids.newId()}`,
    model,
    isStored,
    createdS: Math.floor(clock.now() / 1_000),
    ...(previousId !== undefined && { previousId }),
    ...(instructions !== undefined && { instructions }),
  };
}

function linesOf(head: ResponseHead, answer: HttpAnswer): HttpLines {
  const events = createResponseEvents(head);
  return {
    first: events.begun,
    piece: (piece) => (piece.kind === "text" ? events.delta(piece.text) : ""),
    // The final text equals the sum of the deltas.
    last: (error) =>
      error === undefined ? events.completed(answer.textSoFar()) : events.failed(openAiErrorOf(error).error),
  };
}
