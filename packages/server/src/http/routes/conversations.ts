import { hash } from "node:crypto";
import type { RouteBody } from "@plenary/api";
import { type Command, type Floor, type FloorOptions, ownerOf, seatNamed } from "@plenary/floor";
import type { Identification } from "@plenary/protocol";
import type { Context } from "hono";
import { openMoves } from "../../agents/registry.ts";
import type { AccessContext, AgentsContext, ConversationContext } from "../../context.ts";
import type { CommandBy } from "../../conversation/context.ts";
import { briefEntryFor, conversationView, tracedEntryFor } from "../../conversation/conversation-view.ts";
import { requestKeyIn } from "../../conversation/dedupe.ts";
import { pendingRecipients } from "../../conversation/log-lookup.ts";
import { personOf } from "../../conversation/new-conversation.ts";
import { readerFor } from "../../conversation/visibility.ts";
import { Problem } from "../../errors.ts";
import { tracesOf } from "../../observability/spans.ts";
import { assertSpeaker, isOperator, type Principal } from "../../ports/principal.ts";
import { identificationOf, invalidParameter, normalUrl } from "../../routing/fields.ts";
import type { Env, Mount } from "../../routing/guards.ts";
import { verbs } from "./commands.ts";

const root = "/api/v1/conversations";

type IsPresent = (speakerUri: string) => boolean;

/** The host interface for conversations. */
export function mountConversations(
  mount: Mount,
  server: ConversationContext & AgentsContext & AccessContext,
  isHere: IsPresent,
): void {
  mount(`POST ${root}`, async (c, { body, answer }) => {
    const floor = await create(c, await body(), server);
    c.header("Location", `${root}/${encodeURIComponent(floor.id)}`);
    return answer({ id: floor.id, seq: floor.seq, conversation: conversationView(floor) }, 201);
  });
  mount(`GET ${root}`, async (c, { query: { limit = 100, speaker: named, ...query }, answer }) => {
    // A caller other than the operator sees its own conversations only.
    const speaker = speakerOf(c.get("principal"), named, "speaker");
    const { conversations: only } = c.get("principal");
    const found = await server.log.list({ limit, ...query, ...(speaker !== undefined && { speaker }) });
    const conversations = found.filter(({ id }) => only === undefined || only.includes(id));
    return answer({ conversations, next: (found.length === limit ? found.at(-1)?.id : null) ?? null });
  });
  mount(`GET ${root}/:id`, async (c, { query: { at }, answer }) => {
    const floor = c.get("floor");
    if (at === undefined) {
      const awaited = await pendingRecipients(server.log, floor, readerFor(floor, c.get("speaker")));
      const moves = await openMoves(server, floor, c.get("speaker"));
      const view = withPresence(conversationView(floor), isHere);
      return answer({ ...view, awaited, ...(moves.length > 0 && { moves }) });
    }
    if (at > floor.seq) throw invalidParameter("at", `at most ${floor.seq}`);
    const past = at < firstSeenBy(floor, c.get("speaker")) ? undefined : await server.log.floorAt(floor.id, at);
    if (past === undefined)
      throw new Problem("not-found", { detail: "this reader was not in the conversation at that entry" });
    return answer(conversationView(past));
  });
  mount(`GET ${root}/:id/log`, async (c, { query: { after = 0, limit = 100, view }, answer }) => {
    const floor = c.get("floor");
    const entries = await server.log.entries(floor.id, { after, limit });
    const reader = readerFor(floor, c.get("speaker"));
    const traceOf = tracesOf(floor.id, server.self);
    return answer({
      entries: entries.map((entry) =>
        view === "brief" ? briefEntryFor(entry, reader) : tracedEntryFor(entry, reader, traceOf),
      ),
      next: entries.at(-1)?.seq ?? after,
    });
  });
  for (const name of Object.keys(verbs) as (keyof typeof verbs)[]) {
    mount(`POST ${root}/:id/${name}`, async (c, { body, answer }) => {
      const fields = await body();
      // The contract has checked the fields of this verb.
      const command = verbs[name](fields as never, server);
      const by = { by: commander(c), ...requestOf(c, fields) };
      const { floor } = await server.receiver.command(c.get("floor").id, command, by);
      return answer(conversationView(floor));
    });
  }
}

/** D36: a person who is away keeps the seat. Agents have no presence. */
function withPresence(view: ReturnType<typeof conversationView>, isHere: IsPresent) {
  const conversants = view.conversants.map((one) => {
    if (one.kind !== "person") return one;
    return { ...one, presence: isHere(one.identification.speakerUri) ? ("here" as const) : ("away" as const) };
  });
  return { ...view, conversants };
}

type NewConversation = RouteBody<"POST /api/v1/conversations">;

async function create(
  c: Context<Env>,
  fields: NewConversation,
  server: ConversationContext & AccessContext,
): Promise<Floor> {
  const principal = c.get("principal");
  const named = requestOf(c, fields);
  const id = fields.id ?? idFor(named.request) ?? server.ids.newId();
  const owner = ownerIn(fields, principal);
  const { floorOptions, limits } = server;
  const bounds = isOperator(principal) ? undefined : { ...floorOptions, agentTimeoutMs: limits.silenceMs };
  const options = optionsIn(fields, floorOptions, bounds);
  const self = server.self;
  const command: Command = { verb: "open", self, options, ...(owner && { owner: personOf(owner, self) }) };
  await server.access.admitOpening(principal);
  const by: CommandBy =
    isOperator(principal) || owner === undefined ? { by: "operator" } : { by: "owner", speakerUri: owner.speakerUri };
  return (await server.receiver.command(id, command, { by, ...named })).floor;
}

/** The options in a request. `bounds` is undefined for the operator, who may exceed the limits of the floor. */
function optionsIn(
  { id: _, owner: __, ...given }: NewConversation,
  defaults: FloorOptions,
  bounds: FloorOptions | undefined,
): FloorOptions {
  if (bounds !== undefined) assertWithin(given, bounds);
  const { title, convener, favoriteAgent } = given;
  return {
    ...defaults,
    ...given,
    ...(title !== undefined && { title: title.trim() }),
    ...(convener !== undefined && { convener: normalUrl(convener) }),
    ...(favoriteAgent !== undefined && { favoriteAgent: normalUrl(favoriteAgent) }),
  };
}

function assertWithin(given: Partial<FloorOptions>, bounds: FloorOptions): void {
  for (const [name, value] of Object.entries(given)) {
    const own = bounds[name as keyof FloorOptions];
    if (typeof value === "number" && typeof own === "number" && value > own) {
      throw beyond(name, `at most ${own} on this floor; the operator may choose more`);
    }
  }
  if (given.policy === "spec" && bounds.policy !== "spec") {
    throw beyond("policy", `${bounds.policy} on this floor; the operator may choose spec`);
  }
}

function beyond(name: string, detail: string): Problem {
  const fix = "leave it out, or ask the operator of the floor";
  return new Problem("forbidden", { pointer: `/${name}`, detail: `/${name}: ${detail}`, fix });
}

/** Derived from the idempotency key, so a repeated request names the same conversation. */
function idFor(request: { caller: string; key: string } | undefined): string | undefined {
  return request && hash("sha256", JSON.stringify([request.caller, request.key]), "base64url").slice(0, 22);
}

/** The creator of a conversation owns it. The operator may create one for another owner, or without one. */
function ownerIn(
  fields: NewConversation,
  principal: Principal,
): (Partial<Identification> & { speakerUri: string }) | undefined {
  const owner = fields.owner && identificationOf(fields.owner.identification);
  const speakerUri = speakerOf(principal, owner?.speakerUri, "/owner");
  return owner ?? (speakerUri === undefined ? undefined : { speakerUri });
}

/** The named speaker, or the only speaker of the credential; undefined for an operator that names none. */
function speakerOf(principal: Principal, named: string | undefined, where: string): string | undefined {
  if (named !== undefined) assertSpeaker(principal, named);
  if (named !== undefined || principal.speakers === "anyone") return named;
  const [speaker, other] = principal.speakers;
  if (speaker !== undefined && other === undefined) return speaker;
  throw new Problem("bad-request", { detail: `${where}: it is missing, and this credential speaks for several` });
}

/** A conversant does not see the conversation before it joined, unless the owner revealed it. */
function firstSeenBy(floor: Floor, speaker: string | undefined): number {
  const seat = speaker === undefined ? undefined : seatNamed(floor, speaker);
  return seat === undefined ? 1 : Math.min(seat.since, seat.seesFrom ?? seat.since);
}

function commander(c: Context<Env>): CommandBy {
  const speakerUri = c.get("speaker");
  if (isOperator(c.get("principal"))) return { by: "operator" };
  if (speakerUri === undefined) throw new Error("the guard admitted a caller without a speaker");
  return { by: speakerUri === ownerOf(c.get("floor")) ? "owner" : "person", speakerUri };
}

/** The idempotency key of the request, if it has one, with a hash of the request. */
function requestOf(c: Context<Env>, fields: object) {
  const key = requestKeyIn((name) => c.req.header(name));
  if (key === undefined) return {};
  const text = JSON.stringify([c.req.path, fields]);
  return { request: { caller: c.get("principal").id, key, hash: hash("sha256", text, "base64url") } };
}
