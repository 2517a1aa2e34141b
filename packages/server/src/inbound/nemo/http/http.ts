import { type ChatRequest, earlierThanNow, parseChatRequest } from "@plenary/nemo";
import type { Context } from "hono";
import { Problem } from "../../../errors.ts";
import type { Running } from "../../../running.ts";
import { readJsonObject } from "../../body.ts";
import type { Env } from "../../env.ts";
import { isWebUrl } from "../../fields.ts";
import type { Mount } from "../../mount.ts";
import { eventStreamHeaders } from "../../sse.ts";
import { floorModel } from "../models.ts";
import type { NemoSeats, SeatWish } from "../seat.ts";
import { createHttpAnswers, type HttpAnswer } from "./answers.ts";
import { type Endpoint, endpointPaths, endpoints, type HttpStyle } from "./endpoints.ts";
import { eventStream } from "./event-stream.ts";
import { mountExecutions } from "./executions.ts";
import { type AnswerHead, createHttpLines, wholeAnswer } from "./lines.ts";
import type { HttpCaller, PersonIn } from "./person.ts";
import { errorResponse } from "./problem.ts";

type Desk = Running & { seats: NemoSeats; personIn: PersonIn };

/** The HTTP mode of the toolkit's clients, and any client of OpenAI: a message goes in, what the floor says comes out. */
export function mountNemoHttp(mount: Mount, desk: Desk): void {
  mount("GET /health", (c) => c.json({ status: "healthy" }));
  const answers = createHttpAnswers(desk);
  mountExecutions(mount, { ...desk, executions: answers.executions });
  for (const path of endpointPaths) {
    const { style, isStream, isInteractive }: Endpoint = endpoints[path];
    mount(`POST ${path}`, async (c) => {
      const caller = await desk.personIn(c);
      const read = parseChatRequest(await readJsonObject(c.req.raw, desk.bodyBytesMax));
      if (!read.ok) return errorResponse(read.error, path);
      const isStreamed = isStream === "asked" ? read.request.isStream : isStream;
      const head = headOf(c, desk, read.request);
      const answer = await answers.begin({
        ...{ ...askedIn(c, read.request, { caller, desk }), caller, isStreamed },
        isInteractive: isInteractiveIn(c) ?? isInteractive,
        resultOf: (text) => wholeAnswer(style, head, text),
      });
      const told = { answer, style, path, head };
      const headers = headersOf(answer, read.request);
      return isStreamed ? streamed(desk, told, headers) : whole(told, headers);
    });
  }
}

/** Which conversation it was, and what of the request was left out. */
export function headersOf(
  { conversationId }: HttpAnswer,
  { ignored }: Pick<ChatRequest, "ignored">,
): Record<string, string> {
  return { "conversation-id": conversationId, ...(ignored.length > 0 && { "plenary-ignored": ignored.join(", ") }) };
}

/** Whether the client answers questions by requests of their own; each path has its own way when it does not say. */
function isInteractiveIn(c: Context<Env>): boolean | undefined {
  const given = c.req.header("Plenary-Interactive");
  if (given === undefined || given === "") return undefined;
  if (given === "true" || given === "false") return given === "true";
  throw new Problem("bad-request", { detail: "the header Plenary-Interactive is `true` or `false`" });
}

type Told = { answer: HttpAnswer; style: HttpStyle; path: string; head: AnswerHead };

/** Of whom, to whom and where; without a conversation of its own a request has one for itself. */
function askedIn(c: Context<Env>, request: ChatRequest, { caller, desk }: { caller: HttpCaller; desk: Desk }) {
  const { messages, parts, to, isPrivate, userName, model } = request;
  const named = nameIn(c, "Conversation-Id");
  const agents = caller.query.agents ?? agentsNamed(model, desk);
  const wish: SeatWish = {
    conversationId: named ?? desk.ids.newId(),
    ...(agents && { agents }),
    ...{ history: earlierThanNow(messages), isBrief: named === undefined },
    // A question is told in words, so there is none that could not be shown.
    manner: { hasAllPrompts: true },
  };
  const id = nameIn(c, "User-Message-ID") ?? desk.ids.newId();
  return {
    person: { ...caller.person, ...(userName !== undefined && { name: userName }) },
    wish,
    message: { id, parts, isPrivate, ...(to !== undefined && { to }) },
    ...{ messages, lasts: named === undefined ? ("once" as const) : ("on" as const) },
    signal: c.req.raw.signal,
  };
}

const nameMax = 256;

function nameIn(c: Context<Env>, header: string): string | undefined {
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

function headOf(c: Context<Env>, { ids, clock }: Desk, { model = floorModel, wantsUsage }: ChatRequest): AnswerHead {
  const stepTypes = stepTypesIn(c.req.query("filter_steps"));
  return {
    ...{ id: `chatcmpl-${ids.newId()}`, model, createdS: Math.floor(clock.now() / 1_000), wantsUsage },
    ...(stepTypes && { stepTypes }),
  };
}

/** The toolkit's `filter_steps`: types with commas between them, or `none`. */
function stepTypesIn(given = ""): string[] | undefined {
  if (given === "") return undefined;
  return given.toLowerCase() === "none" ? [] : given.split(",").map((type) => type.trim().toUpperCase());
}

async function whole({ answer, style, path, head }: Told, named: Record<string, string>): Promise<Response> {
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

function streamed({ clock }: Desk, { answer, style, head }: Told, headers: Record<string, string>): Response {
  const lines = createHttpLines(style, head);
  let [isBegun, isOver] = [false, false];
  const next = async (): Promise<string | undefined> => {
    if (isOver) return undefined;
    const first = isBegun ? "" : lines.first();
    isBegun = true;
    if (first !== "") return first;
    for (;;) {
      const piece = await answer.next();
      isOver = piece === undefined;
      const line = piece === undefined ? lines.last(answer.outcome().error) : lines.piece(piece);
      if (line !== "") return line;
      if (isOver) return undefined;
    }
  };
  const body = eventStream(clock, { next, leave: answer.leave });
  return new Response(body, { headers: { ...eventStreamHeaders, ...headers } });
}
