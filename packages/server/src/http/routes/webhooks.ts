import type { RouteAnswer, RouteBody } from "@plenary/api";
import { ownerOf, seatNamed } from "@plenary/floor";
import type { Context } from "hono";
import type { AgentsContext, ProcessContext, StorageContext, WebhookContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import { timeOf } from "../../ports/clock.ts";
import { newCredentialId } from "../../ports/credentials.ts";
import { assertConversation, assertSpeaker, isOperator, type Principal } from "../../ports/principal.ts";
import type { WebhookDeadLetter } from "../../ports/webhook-store.ts";
import { invalidField, normalUrl } from "../../routing/fields.ts";
import type { Env, Mount } from "../../routing/guards.ts";
import { isRefusal, type SendOutcome } from "../../webhooks/send.ts";
import { newWebhookSecret, type Registrant, type Webhook } from "../../webhooks/webhook.ts";

const root = "/api/v1/webhooks";
const one = `${root}/:id` as const;
const letters = `${one}/dead-letters` as const;

/** The operator manages all webhooks, other callers those of their speakers. */
export function mountWebhooks(
  mount: Mount,
  server: ProcessContext & StorageContext & AgentsContext & WebhookContext,
): void {
  const { webhooks } = server;
  mount(`POST ${root}`, async (c, { body, answer }) => {
    const hook = await registrationIn(await body(), c.get("principal"), server);
    await webhooks.add(hook);
    c.header("Cache-Control", "no-store");
    c.header("Location", `${root}/${hook.id}`);
    return answer({ ...(await webhooks.view(hook.id)), secret: hook.secrets[0]?.secret ?? "" }, 201);
  });
  mount(`GET ${root}`, async (c, { answer }) => {
    const own = webhooks.all().filter((hook) => isOwn(c, hook));
    return answer({ webhooks: await Promise.all(own.map(({ id }) => webhooks.view(id))) });
  });
  mount(`GET ${one}`, async (c, { answer }) => answer(await webhooks.view(ownHook(c, server).id)));
  mount(`DELETE ${one}`, async (c) => {
    await webhooks.remove(ownHook(c, server).id);
    return c.body(null, 204);
  });
  mount(`POST ${one}/enable`, async (c, { answer }) => {
    const { id } = ownHook(c, server);
    const principal = c.get("principal");
    const refusal = await webhooks.enable(id, isOperator(principal) ? undefined : registrantOf(principal));
    if (refusal !== undefined) throw new Problem("refused", { detail: refusal, fix: "register it again as the owner" });
    return answer(await webhooks.view(id));
  });
  mount(`POST ${one}/secret`, async (c, { answer }) => {
    const { id } = ownHook(c, server);
    c.header("Cache-Control", "no-store");
    return answer({ id, secret: await webhooks.rotateSecret(id) });
  });
  mount(`POST ${one}/test`, async (c, { answer }) => {
    const { id } = ownHook(c, server);
    c.env?.onWait?.();
    return answer(resultOf(await webhooks.ping(id)));
  });
  mountLetters(mount, server);
}

function mountLetters(mount: Mount, server: StorageContext & WebhookContext): void {
  const { webhooks, store } = server;
  mount(`GET ${letters}`, async (c, { query: { limit = 100, ...query }, answer }) => {
    const { id } = ownHook(c, server);
    const found = await store.webhooks.webhookLetters({ webhook: id, limit, ...query });
    const deadLetters = found.map(({ conversationId, webhook: _, ...rest }) => {
      return { ...rest, conversation: conversationId };
    });
    return answer({ deadLetters, next: (found.length === limit ? found.at(-1)?.id : null) ?? null });
  });
  mount(`POST ${letters}/:letter/redrive`, async (c, { answer }) => {
    const { id } = ownHook(c, server);
    const letter = await letterNamed(server, id, c.req.param("letter") ?? "");
    c.env?.onWait?.();
    const outcome = await webhooks.redrive(id, letter);
    if (outcome === undefined) {
      const fix = "nothing can be done: the letter is deleted after seven days";
      throw new Problem("refused", { detail: "the registrant may not see this entry now", fix });
    }
    return answer({ id: letter.id, ...resultOf(outcome) });
  });
}

async function letterNamed({ store }: StorageContext, webhook: string, name: string): Promise<WebhookDeadLetter> {
  for (let after = ""; ; ) {
    const page = await store.webhooks.webhookLetters({ webhook, after, limit: 1_000 });
    const found = page.find(({ id }) => id === name);
    if (found !== undefined) return found;
    const last = page.at(-1);
    if (last === undefined) {
      const fix = `GET ${root}/${webhook}/dead-letters lists them`;
      throw new Problem("not-found", { detail: "there is no such dead letter", fix });
    }
    after = last.id;
  }
}

function resultOf(outcome: SendOutcome): RouteAnswer<"POST /api/v1/webhooks/:id/test"> {
  if (outcome.kind === "aborted") return { delivered: false, failure: "the floor is closing" };
  const { status } = outcome;
  const delivered = outcome.kind === "delivered";
  return { delivered, ...(status !== undefined && { status }), ...(!delivered && { failure: outcome.failure }) };
}

/** A webhook of the operator belongs to the operator only, even if it reads as another speaker. */
function isOwn(c: Context<Env>, { registrant, speaker = "", conversation = "" }: Webhook): boolean {
  const principal = c.get("principal");
  if (isOperator(principal)) return true;
  const { speakers, conversations } = principal;
  if (registrant.kind === "operator" || speakers === "anyone" || !speakers.includes(speaker)) return false;
  return conversations === undefined || conversations.includes(conversation);
}

function ownHook(c: Context<Env>, { webhooks }: WebhookContext): Webhook {
  const id = c.req.param("id");
  const found = webhooks.all().find((hook) => hook.id === id && isOwn(c, hook));
  if (found !== undefined) return found;
  throw new Problem("not-found", { detail: "there is no such webhook", fix: `GET ${root} lists yours` });
}

function registrantOf({ id, kind, untilMs }: Principal): Registrant {
  return { id, kind, ...(untilMs !== undefined && { untilMs }) };
}

type Registration = RouteBody<"POST /api/v1/webhooks">;

async function registrationIn(
  fields: Registration,
  principal: Principal,
  server: ProcessContext & StorageContext & AgentsContext & WebhookContext,
): Promise<Webhook> {
  const { eventTypes, kinds = eventTypes && ["event"], label } = fields;
  if (eventTypes !== undefined && !kinds?.includes("event")) {
    throw invalidField("/eventTypes", "they are types of the kind event, which `kinds` leaves out");
  }
  const read = await readRights(fields, principal, server);
  const hook: Webhook = {
    id: newCredentialId(),
    url: diallableUrl(fields.url, server),
    ...(kinds && { kinds: [...new Set(kinds)] }),
    ...(eventTypes && { eventTypes: [...new Set(eventTypes)] }),
    ...read,
    ...(label !== undefined && { label }),
    registrant: registrantOf(principal),
    secrets: [{ secret: newWebhookSecret() }],
    createdAt: timeOf(server.clock),
  };
  assertFew(server, hook);
  return hook;
}

function diallableUrl(url: string, { assertDiallable }: AgentsContext): string {
  const href = normalUrl(url);
  try {
    assertDiallable(href);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const fix = "use a public https address, or ask the operator to allow this one";
    throw new Problem("refused", { detail: error.message, pointer: "/url", fix });
  }
  return href;
}

/** The conversation and the reader. The operator may name none; others must own the conversation. */
async function readRights(
  { conversation, speaker: named }: Registration,
  principal: Principal,
  { log }: StorageContext,
): Promise<Pick<Webhook, "conversation" | "speaker">> {
  if (named !== undefined) assertSpeaker(principal, named);
  const ofSpeaker = named === undefined ? {} : { speaker: named };
  const { speakers } = principal;
  if (conversation === undefined) {
    if (isOperator(principal)) return ofSpeaker;
    throw invalidField("/conversation", "it is missing; only the operator may follow all conversations");
  }
  assertConversation(principal, conversation);
  const floor = await log.load(conversation);
  if (floor === undefined) throw new Problem("unknown-conversation");
  if (speakers === "anyone") return { conversation, ...ofSpeaker };
  const names = named === undefined ? speakers : [named];
  // A caller without a seat does not learn that the conversation exists.
  if (!names.some((name) => seatNamed(floor, name) !== undefined)) throw new Problem("unknown-conversation");
  const owner = names.find((name) => name === ownerOf(floor));
  if (owner !== undefined) return { conversation, speaker: owner };
  throw new Problem("forbidden", { detail: "only the owner of this conversation may register a webhook for it" });
}

function assertFew({ webhooks, webhookLimits: { perRegistrantMax, totalMax } }: WebhookContext, hook: Webhook): void {
  const all = webhooks.all();
  const isOfOperator = hook.registrant.kind === "operator";
  const own = all.filter(({ registrant, speaker }) =>
    isOfOperator ? registrant.kind === "operator" : registrant.kind !== "operator" && speaker === hook.speaker,
  );
  const fix = `delete one that is not needed any more: GET ${root} lists yours`;
  if (own.length >= perRegistrantMax) throw new Problem("refused", { detail: `you have ${own.length} webhooks`, fix });
  if (all.length >= totalMax) throw new Problem("refused", { detail: `this floor has ${all.length} webhooks` });
}
