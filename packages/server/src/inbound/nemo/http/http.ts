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
import { type AnswerHead, createHttpLines, type HttpStyle, wholeAnswer } from "./lines.ts";
import type { HttpCaller, PersonIn } from "./person.ts";
import { errorResponse } from "./problem.ts";
import { createHttpTelling, type HttpTelling } from "./telling.ts";
import { beginHttpTurn, type HttpTurn } from "./turn.ts";

type Desk = Running & { seats: NemoSeats; personIn: PersonIn };

const endpoints = {
  "/chat": { style: "chat", isStream: false },
  "/chat/stream": { style: "chat", isStream: true },
  "/generate": { style: "generate", isStream: false },
  "/generate/stream": { style: "generate", isStream: true },
  "/v1/chat/completions": { style: "openai", isStream: "asked" },
} as const satisfies Record<string, { style: HttpStyle; isStream: boolean | "asked" }>;

/** So many wait for answers at once. */
const turnsMax = 256;

/** The HTTP mode of the toolkit's clients, and any client of OpenAI: a message goes in, what the floor says comes out. */
export function mountNemoHttp(mount: Mount, desk: Desk): void {
  mount("GET /health", (c) => c.json({ status: "healthy" }));
  let turns = 0;
  for (const [path, { style, isStream }] of Object.entries(endpoints)) {
    mount(`POST ${path as keyof typeof endpoints}`, async (c) => {
      const caller = await desk.personIn(c);
      const read = parseChatRequest(await readJsonObject(c.req.raw, desk.bodyBytesMax));
      if (!read.ok) return errorResponse(read.error, path);
      const isStreamed = isStream === "asked" ? read.request.isStream : isStream;
      const asked = { ...askedIn(c, read.request, { caller, desk }), isStreamed };
      if (turns >= turnsMax) throw new Problem("busy", { detail: `${turnsMax} requests wait for answers now` });
      turns += 1;
      const turn = await beginHttpTurn(desk, asked).catch((error: unknown) => {
        turns -= 1;
        throw error;
      });
      const leave = once(() => {
        turns -= 1;
        return turn.leave();
      });
      const told = { turn: { ...turn, leave }, telling: createHttpTelling(asked), head: headOf(desk, read.request) };
      const { conversationId } = asked.wish;
      return isStreamed ? streamed(style, told, conversationId) : whole(style, told, { path, conversationId });
    });
  }
}

type Telling = { turn: HttpTurn; telling: HttpTelling; head: AnswerHead };

/** Of whom, to whom and where; without a conversation of its own a request has one for itself. */
function askedIn(c: Context<Env>, request: ChatRequest, { caller, desk }: { caller: HttpCaller; desk: Desk }) {
  const { messages, parts, to, isPrivate, userName, model } = request;
  const named = nameIn(c, "Conversation-Id");
  const agents = caller.query.agents ?? agentsNamed(model, desk);
  const wish: SeatWish = {
    conversationId: named ?? desk.ids.newId(),
    ...(agents && { agents }),
    history: earlierThanNow(messages),
    // A question is told in words, so there is none that could not be shown.
    manner: { hasAllPrompts: true },
  };
  const id = nameIn(c, "User-Message-ID") ?? desk.ids.newId();
  return {
    person: { ...caller.person, ...(userName !== undefined && { name: userName }) },
    wish,
    message: { id, parts, isPrivate, ...(to !== undefined && { to }) },
    isAlone: named === undefined,
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

function headOf({ ids, clock }: Desk, { model = floorModel, wantsUsage }: ChatRequest): AnswerHead {
  return { id: `chatcmpl-${ids.newId()}`, model, createdS: Math.floor(clock.now() / 1_000), wantsUsage };
}

async function whole(
  style: HttpStyle,
  { turn, telling, head }: Telling,
  { path, conversationId }: { path: string; conversationId: string },
): Promise<Response> {
  const headers: Record<string, string> = { "conversation-id": conversationId };
  try {
    for (let told = await turn.next(); told !== undefined; told = await turn.next()) {
      const piece = telling.piece(told);
      if (piece?.kind === "trace") headers["observability-trace-id"] = piece.traceId;
    }
  } finally {
    await turn.leave();
  }
  telling.ended(turn.ending());
  const error = telling.error();
  if (turn.ending() === "failed" && error !== undefined) return errorResponse(error, path, headers);
  return Response.json(wholeAnswer(style, head, telling.text().trimEnd()), { headers });
}

function streamed(style: HttpStyle, { turn, telling, head }: Telling, conversationId: string): Response {
  const lines = createHttpLines(style, head);
  const encoder = new TextEncoder();
  const end = async () => {
    const notice = telling.ended(turn.ending());
    await turn.leave();
    return `${notice === undefined ? "" : lines.piece(notice)}${lines.last()}`;
  };
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(lines.first())),
    async pull(controller) {
      // Whoever pulls is called again only if something came of it.
      for (let line = ""; line === ""; ) {
        const told = await turn.next();
        if (told === undefined) {
          controller.enqueue(encoder.encode(await end()));
          return controller.close();
        }
        const piece = telling.piece(told);
        line = piece === undefined ? "" : lines.piece(piece);
        if (line !== "") controller.enqueue(encoder.encode(line));
      }
    },
    cancel: turn.leave,
  });
  return new Response(body, { headers: { ...eventStreamHeaders, "conversation-id": conversationId } });
}

function once(run: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= run();
    return done;
  };
}
