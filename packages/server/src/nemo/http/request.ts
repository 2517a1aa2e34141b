import { isWebUrl } from "@plenary/api";
import { type ChatRequest, earlierThanNow } from "@plenary/nemo";
import type { Context } from "hono";
import type { AgentsContext, FloorContext, ProcessContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import type { Env } from "../../routing/guards.ts";
import type { HttpCaller } from "../client-identity.ts";
import type { JoinRequest, NemoPerson } from "../participant.ts";
import type { HttpQuestion } from "./answers.ts";

type RequestContext = Pick<ProcessContext & FloorContext & AgentsContext, "ids" | "hosted" | "url">;

/** The conversation of a message, its speaker, and how long the conversation stays open. */
type ConversationOfRequest = Pick<HttpQuestion, "lasts" | "person"> & { conversationId: string };

/** From `Conversation-Id`; without it the request has its own conversation. */
export function conversationOfRequest(
  c: Context<Env>,
  { person }: HttpCaller,
  { ids }: RequestContext,
): ConversationOfRequest {
  const named = nameIn(c, "Conversation-Id");
  return { person, conversationId: named ?? ids.newId(), lasts: named === undefined ? "once" : "on" };
}

/** The parts of a question that every path has. */
export function questionParts(
  c: Context<Env>,
  request: ChatRequest,
  {
    caller,
    context,
    conversation,
  }: { caller: HttpCaller; context: RequestContext; conversation: ConversationOfRequest },
) {
  const { messages, parts, to, isPrivate, userName, model } = request;
  const { conversationId, lasts } = conversation;
  const agents = caller.query.agents ?? agentsNamed(model, context);
  const joinRequest: JoinRequest = {
    conversationId,
    history: earlierThanNow(messages),
    isBrief: lasts !== "on",
    ...(agents && { agents }),
    // A question is written as text, so every kind can be shown.
    clientFeatures: { hasAllPrompts: true },
  };
  const id = nameIn(c, "User-Message-ID") ?? context.ids.newId();
  const person: NemoPerson = { ...conversation.person, ...(userName !== undefined && { name: userName }) };
  const message = { id, parts, isPrivate, ...(to !== undefined && { to }) };
  return { person, joinRequest, message, messages, lasts, caller, signal: c.req.raw.signal };
}

const nameMax = 256;

export function nameIn(c: Context<Env>, header: string): string | undefined {
  const name = c.req.header(header);
  if (name === undefined || name === "") return undefined;
  if (name.length <= nameMax) return name;
  throw new Problem("bad-request", { detail: `the header ${header} has at most ${nameMax} characters` });
}

/** A model is an agent: a hosted one by its name, any other by its serviceUrl. */
function agentsNamed(model: string | undefined, { hosted, url }: RequestContext): string[] | undefined {
  if (model === undefined) return undefined;
  if (hosted.names.includes(model)) return [`${url}/agents/${model}`];
  return isWebUrl(model) ? [model] : undefined;
}
