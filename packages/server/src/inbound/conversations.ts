import type { Command, Floor } from "@plenary/floor";
import type { Context, Hono } from "hono";
import { mayHost } from "../admit.ts";
import { Problem } from "../errors.ts";
import { personOf } from "../owner.ts";
import type { Running } from "../running.ts";
import { conversationView, entryFor, readerFor } from "../view.ts";
import { readJsonObject } from "./body.ts";
import type { Env } from "./env.ts";
import { conversantField, floorOptionsIn, identificationIn, numberQuery, requiredText, textField } from "./fields.ts";

const root = "/api/v1/conversations";

/** The host interface: what the operator sees and does beside the protocol. */
export function mountConversations(app: Hono<Env>, running: Running): void {
  app.post(root, async (c) => {
    assertHost(c);
    const fields = await readJsonObject(c.req.raw, running.bodyBytesMax);
    const id = textField(fields, "id") ?? running.ids.newId();
    const owner = conversantField(fields, "owner");
    const options = floorOptionsIn(fields, running.floorOptions, ["id", "owner"]);
    const self = running.self();
    const command: Command = { verb: "open", self, options, ...(owner && { owner: personOf(owner, self) }) };
    const { floor } = await running.receiver.command(id, command);
    c.header("Location", `${root}/${encodeURIComponent(id)}`);
    return c.json({ id, seq: floor.seq, conversation: conversationView(floor) }, 201);
  });
  app.get(root, async (c) => {
    const limit = numberQuery(c.req.query("limit"), "limit", { min: 1, max: 1_000, default: 100 });
    const after = c.req.query("after");
    const speaker = c.req.query("speaker");
    const conversations = await running.store.list({
      limit,
      ...(after !== undefined && { after }),
      ...(speaker !== undefined && { speaker }),
    });
    return c.json({ conversations, next: conversations.length === limit ? conversations.at(-1)?.id : null });
  });
  app.get(`${root}/:id`, async (c) => {
    const at = c.req.query("at");
    const floor = await floorOf(running, c.req.param("id"));
    if (at === undefined) return c.json(conversationView(floor));
    const seq = numberQuery(at, "at", { min: 1, max: floor.seq, default: floor.seq });
    const past = await running.store.floorAt(floor.id, seq);
    if (past === undefined) throw new Problem("unknown-conversation");
    return c.json(conversationView(past));
  });
  app.get(`${root}/:id/log`, async (c) => {
    const floor = await floorOf(running, c.req.param("id"));
    const after = numberQuery(c.req.query("after"), "after", { min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 });
    const limit = numberQuery(c.req.query("limit"), "limit", { min: 1, max: 1_000, default: 100 });
    const entries = await running.store.entries(floor.id, { after, limit });
    const reader = readerFor(floor, c.req.query("speaker"));
    return c.json({
      entries: entries.map((entry) => entryFor(entry, reader)),
      next: entries.at(-1)?.seq ?? after,
    });
  });
  mountCommands(app, running);
}

type Verb = (fields: Record<string, unknown>, running: Running) => Command;

const verbs: Record<string, Verb> = {
  close: (fields) => ({ verb: "close", ...reasonIn(fields) }),
  resume: () => ({ verb: "resume" }),
  convener: (fields) => {
    const speakerUri = fields.speakerUri === null ? undefined : textField(fields, "speakerUri");
    return { verb: "convener", ...(speakerUri !== undefined && { speakerUri }) };
  },
  remove: (fields) => ({ verb: "remove", speakerUri: requiredText(fields, "speakerUri"), ...reasonIn(fields) }),
  seat: (fields, running) => {
    const identification = personOf(identificationIn(fields, ""), running.self());
    const kind = textField(fields, "kind") ?? "person";
    if (kind === "person" || kind === "agent") return { verb: "seat", identification, seatKind: kind };
    throw new Problem("bad-request", { pointer: "/kind", detail: "/kind: person or agent" });
  },
};

function mountCommands(app: Hono<Env>, running: Running): void {
  for (const [name, commandOf] of Object.entries(verbs)) {
    app.post(`${root}/:id/${name}`, async (c) => {
      assertHost(c);
      const isBare = c.req.raw.body === null || c.req.header("content-length") === "0";
      const fields = isBare ? {} : await readJsonObject(c.req.raw, running.bodyBytesMax);
      const { floor } = await running.receiver.command(c.req.param("id"), commandOf(fields, running));
      return c.json(conversationView(floor));
    });
  }
}

function reasonIn(fields: Record<string, unknown>) {
  const reason = textField(fields, "reason");
  return reason === undefined ? {} : { reason };
}

export function assertHost(c: Context<Env>): void {
  if (mayHost(c.get("principal"))) return;
  throw new Problem("refused", { status: 403, detail: "this credential may not host conversations" });
}

async function floorOf({ store }: Running, id: string): Promise<Floor> {
  const floor = await store.load(id);
  if (floor === undefined) throw new Problem("unknown-conversation");
  return floor;
}
