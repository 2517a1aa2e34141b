import { type ChatRequest, earlierThanNow } from "@plenary/nemo";
import type { Context } from "hono";
import type { Running } from "../../context.ts";
import { Problem } from "../../errors.ts";
import { isWebUrl } from "../../routing/fields.ts";
import type { Env } from "../../routing/hono-env.ts";
import type { NemoPerson, SeatWish } from "../participant.ts";
import type { HttpQuestion } from "./answers.ts";
import type { HttpCaller } from "./caller.ts";

type Desk = Pick<Running, "ids" | "hosted" | "url">;

/** The conversation of a message, its speaker, and how long the conversation stays open. */
type Place = Pick<HttpQuestion, "lasts" | "person"> & { conversationId: string };

/** From `Conversation-Id`; without it the request has its own conversation. */
export function placeIn(c: Context<Env>, { person }: HttpCaller, { ids }: Desk): Place {
  const named = nameIn(c, "Conversation-Id");
  return { person, conversationId: named ?? ids.newId(), lasts: named === undefined ? "once" : "on" };
}

type Asked = Pick<HttpQuestion, "person" | "wish" | "message" | "messages" | "lasts" | "caller" | "signal">;

/** The parts of a question that every path has. */
export function askedIn(
  c: Context<Env>,
  request: ChatRequest,
  { caller, desk, place }: { caller: HttpCaller; desk: Desk; place: Place },
): Asked {
  const { messages, parts, to, isPrivate, userName, model } = request;
  const { conversationId, lasts } = place;
  const agents = caller.query.agents ?? agentsNamed(model, desk);
  const wish: SeatWish = {
    ...{ conversationId, history: earlierThanNow(messages), isBrief: lasts !== "on" },
    ...(agents && { agents }),
    // A question is told in words, so there is none that could not be shown.
    manner: { hasAllPrompts: true },
  };
  const id = nameIn(c, "User-Message-ID") ?? desk.ids.newId();
  const person: NemoPerson = { ...place.person, ...(userName !== undefined && { name: userName }) };
  const message = { id, parts, isPrivate, ...(to !== undefined && { to }) };
  return { person, wish, message, messages, lasts, caller, signal: c.req.raw.signal };
}

const nameMax = 256;

export function nameIn(c: Context<Env>, header: string): string | undefined {
  const name = c.req.header(header);
  if (name === undefined || name === "") return undefined;
  if (name.length <= nameMax) return name;
  throw new Problem("bad-request", { detail: `the header ${header} has at most ${nameMax} characters` });
}

/** A model here is an agent: one that is hosted here by its name, any other by its address. */
function agentsNamed(model: string | undefined, { hosted, url }: Desk): string[] | undefined {
  if (model === undefined) return undefined;
  if (hosted.names.includes(model)) return [`${url()}/agents/${model}`];
  return isWebUrl(model) ? [model] : undefined;
}
