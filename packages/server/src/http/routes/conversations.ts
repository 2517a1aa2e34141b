import { hash } from "node:crypto";
import { type Command, type Floor, ownerOf, seatNamed } from "@plenary/floor";
import type { Identification } from "@plenary/protocol";
import type { Context } from "hono";
import { openMoves } from "../../agents/registry.ts";
import type { ServerContext } from "../../context.ts";
import { briefEntryFor, conversationView, tracedEntryFor } from "../../conversation/conversation-view.ts";
import { requestKeyIn } from "../../conversation/dedupe.ts";
import { pendingRecipients } from "../../conversation/log-lookup.ts";
import { personOf } from "../../conversation/new-conversation.ts";
import type { CommandBy } from "../../conversation/receive.ts";
import { readerFor } from "../../conversation/visibility.ts";
import { Problem } from "../../errors.ts";
import { tracesOf } from "../../observability/spans.ts";
import { assertSpeaker, isOperator, type Principal } from "../../ports/principal.ts";
import { readJsonObject } from "../../routing/body.ts";
import { conversantField, floorOptionsIn, numberQuery, textField } from "../../routing/fields.ts";
import type { Env, Mount } from "../../routing/guards.ts";
import { isBriefIn } from "../../streams/query.ts";
import { verbs } from "./commands.ts";

const root = "/api/v1/conversations";

type IsPresent = (speakerUri: string) => boolean;

/** The host interface for conversations. */
export function mountConversations(mount: Mount, server: ServerContext, isHere: IsPresent): void {
  mount(`POST ${root}`, (c) => create(c, server));
  mount(`GET ${root}`, async (c) => {
    const limit = numberQuery(c.req.query("limit"), "limit", { min: 1, max: 1_000, default: 100 });
    const after = c.req.query("after");
    const speaker = readerIn(c);
    const parent = c.req.query("parent");
    const { conversations: only } = c.get("principal");
    const found = await server.store.list({
      limit,
      ...(after !== undefined && { after }),
      ...(speaker !== undefined && { speaker }),
      ...(parent !== undefined && { parent }),
    });
    const conversations = found.filter(({ id }) => only === undefined || only.includes(id));
    return c.json({ conversations, next: found.length === limit ? found.at(-1)?.id : null });
  });
  mount(`GET ${root}/:id`, async (c) => {
    const at = c.req.query("at");
    const floor = c.get("floor");
    if (at === undefined) {
      const awaited = await pendingRecipients(server.store, floor, readerFor(floor, c.get("speaker")));
      const moves = await openMoves(server, floor, c.get("speaker"));
      const view = withPresence(conversationView(floor), isHere);
      return c.json({ ...view, awaited, ...(moves.length > 0 && { moves }) });
    }
    const seq = numberQuery(at, "at", { min: 1, max: floor.seq, default: floor.seq });
    const past = seq < firstSeenBy(floor, c.get("speaker")) ? undefined : await server.store.floorAt(floor.id, seq);
    if (past === undefined)
      throw new Problem("not-found", { detail: "this reader was not in the conversation at that entry" });
    return c.json(conversationView(past));
  });
  mount(`GET ${root}/:id/log`, async (c) => {
    const floor = c.get("floor");
    const after = numberQuery(c.req.query("after"), "after", { min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 });
    const limit = numberQuery(c.req.query("limit"), "limit", { min: 1, max: 1_000, default: 100 });
    const entries = await server.store.entries(floor.id, { after, limit });
    const reader = readerFor(floor, c.get("speaker"));
    const traceOf = tracesOf(floor.id, server.self());
    const isBrief = isBriefIn(c.req.query("view"));
    return c.json({
      entries: entries.map((entry) =>
        isBrief ? briefEntryFor(entry, reader) : tracedEntryFor(entry, reader, traceOf),
      ),
      next: entries.at(-1)?.seq ?? after,
    });
  });
  for (const [name, commandOf] of Object.entries(verbs)) {
    mount(`POST ${root}/:id/${name as keyof typeof verbs}`, async (c) => {
      const fields = await fieldsIn(c, server);
      const { floor } = await server.receiver.command(c.get("floor").id, commandOf(fields, server), {
        by: commander(c),
        ...requestOf(c, fields),
      });
      return c.json(conversationView(floor));
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

async function create(c: Context<Env>, server: ServerContext): Promise<Response> {
  const fields = await readJsonObject(c.req.raw, server.bodyBytesMax);
  const principal = c.get("principal");
  const named = requestOf(c, fields);
  const id = textField(fields, "id") ?? idFor(named.request) ?? server.ids.newId();
  const owner = ownerIn(fields, principal);
  const { floorOptions, limits } = server;
  const bounds = isOperator(principal) ? undefined : { ...floorOptions, agentTimeoutMs: limits.silenceMs };
  const options = floorOptionsIn(fields, floorOptions, ["id", "owner"], bounds);
  const self = server.self();
  const command: Command = { verb: "open", self, options, ...(owner && { owner: personOf(owner, self) }) };
  await server.access.admitOpening(principal);
  const by: CommandBy =
    isOperator(principal) || owner === undefined ? { by: "operator" } : { by: "owner", speakerUri: owner.speakerUri };
  const { floor } = await server.receiver.command(id, command, { by, ...named });
  c.header("Location", `${root}/${encodeURIComponent(id)}`);
  return c.json({ id, seq: floor.seq, conversation: conversationView(floor) }, 201);
}

/** Derived from the idempotency key, so a repeated request names the same conversation. */
function idFor(request: { caller: string; key: string } | undefined): string | undefined {
  return request && hash("sha256", JSON.stringify([request.caller, request.key]), "base64url").slice(0, 22);
}

/** The creator of a conversation owns it. The operator may create one for another owner, or without one. */
function ownerIn(
  fields: Record<string, unknown>,
  principal: Principal,
): (Partial<Identification> & { speakerUri: string }) | undefined {
  const owner = conversantField(fields, "owner");
  const speakerUri = speakerOf(principal, owner?.speakerUri, "/owner");
  return owner ?? (speakerUri === undefined ? undefined : { speakerUri });
}

/** A caller other than the operator sees its own conversations only. */
function readerIn(c: Context<Env>): string | undefined {
  return speakerOf(c.get("principal"), c.req.query("speaker"), "speaker");
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

async function fieldsIn(c: Context<Env>, { bodyBytesMax }: ServerContext): Promise<Record<string, unknown>> {
  const isEmpty = c.req.raw.body === null || c.req.header("content-length") === "0";
  return isEmpty ? {} : readJsonObject(c.req.raw, bodyBytesMax);
}

function commander(c: Context<Env>): CommandBy {
  const speakerUri = c.get("speaker");
  if (isOperator(c.get("principal"))) return { by: "operator" };
  if (speakerUri === undefined) throw new Error("the guard admitted a caller without a speaker");
  return { by: speakerUri === ownerOf(c.get("floor")) ? "owner" : "person", speakerUri };
}

/** The idempotency key of the request, if it has one, with a hash of the request. */
function requestOf(c: Context<Env>, fields: Record<string, unknown>) {
  const key = requestKeyIn((name) => c.req.header(name));
  if (key === undefined) return {};
  const text = JSON.stringify([c.req.path, fields]);
  return { request: { caller: c.get("principal").id, key, hash: hash("sha256", text, "base64url") } };
}
