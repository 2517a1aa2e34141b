import { type Floor, ownerOf } from "@plenary/floor";
import { createWriteBehind } from "@plenary/sdk";
import type { Notifier } from "../conversation/notifier.ts";
import { createConcurrencyLimit } from "../delivery/http/concurrency-limit.ts";
import { tracesOf } from "../observability/spans.ts";
import { atMost } from "../ports/clock.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { Logger } from "../ports/logger.ts";
import { isOperator, type Principal } from "../ports/principal.ts";
import type { StoredWebhook, WebhookDeadLetter } from "../ports/webhook-store.ts";
import { type RunnerContext, WebhookRunner } from "./runner.ts";
import { type SendOutcome, send } from "./send.ts";
import {
  type Lane,
  messageOf,
  newWebhookSecret,
  pingOf,
  type Registrant,
  viewOf,
  type Webhook,
  type WebhookRecord,
} from "./webhook.ts";

export type WebhooksContext = Omit<RunnerContext, "concurrency" | "refusalOf"> & {
  notifier: Notifier;
  logger: Logger;
  isLive: (principal: Principal) => Promise<boolean>;
  /** Those of earlier processes: each continues where its process ended. */
  stored: readonly StoredWebhook[];
};

type WebhookView = ReturnType<typeof viewOf> & { pending: number };

/** The webhooks of a floor. Callers check who may use which. */
export type Webhooks = {
  all(): readonly Webhook[];
  view(id: string): Promise<WebhookView>;
  /** Begins with the entries that are written from now on. */
  add(hook: Webhook): Promise<void>;
  remove(id: string): Promise<void>;
  /** Why it cannot be enabled; undefined when it is. With `registrant`, it has the rights of that caller from now on. */
  enable(id: string, registrant?: Registrant): Promise<string | undefined>;
  /** The new secret. */
  rotateSecret(id: string): Promise<string>;
  /** A success also retries what waits. */
  ping(id: string): Promise<SendOutcome>;
  /** Sends the entry now. A success deletes the letter. Undefined: the registrant may not see the entry any more. */
  redrive(id: string, letter: WebhookDeadLetter): Promise<SendOutcome | undefined>;
  figures(): { active: number; failing: number; disabled: number };
  lagSeconds(): number;
  close(options: { drainMs: number }): Promise<void>;
};

type Context = RunnerContext & { notifier: Notifier; logger: Logger };

export function createWebhooks({ isLive, stored, ...given }: WebhooksContext): Webhooks {
  const { inFlightMax: max, inFlightPerWebhookMax: perTargetMax } = given.limits;
  const refusalOf = (hook: Webhook) => refusalFor({ log: given.log, isLive }, hook);
  const context: Context = { ...given, refusalOf, concurrency: createConcurrencyLimit({ max, perTargetMax }) };
  const { log, store } = context;
  const records = new Map<string, WebhookRecord>(stored.map(({ id, known }) => [id, JSON.parse(known)]));
  const runners = createRunners(context, records);
  const recordOf = (id: string): WebhookRecord => {
    const record = records.get(id);
    if (record === undefined) throw new Error("there is no such webhook");
    return record;
  };
  for (const record of records.values()) if (record.disabled === undefined) runners.start(record);
  return {
    all: () => [...records.values()].map(({ hook }) => hook),
    async view(id) {
      const record = recordOf(id);
      const refusal = record.disabled ?? (await refusalOf(record.hook));
      if (record.disabled === undefined && refusal !== undefined) await runners.disable(record, refusal);
      return { ...viewOf(record), pending: await pendingIn(log, record) };
    },
    async add(hook) {
      const record = await newRecord(context, hook);
      await store.keepWebhooks({ kept: [{ id: hook.id, known: JSON.stringify(record) }], forgotten: [] });
      records.set(hook.id, record);
      runners.start(record);
    },
    async remove(id) {
      await store.keepWebhooks({ kept: [], forgotten: [id] });
      records.delete(id);
      await runners.end(id);
    },
    ...managementOf(context, runners, recordOf),
    figures() {
      const counts = { active: 0, failing: 0, disabled: 0 };
      for (const record of records.values()) counts[viewOf(record).state] += 1;
      return counts;
    },
    lagSeconds: runners.lagSeconds,
    close: runners.close,
  };
}

type Runners = ReturnType<typeof createRunners>;

/** Runs the enabled webhooks. Without one, nothing watches the log. */
function createRunners(context: Context, records: ReadonlyMap<string, WebhookRecord>) {
  const { clock, notifier, limits, store, onError } = context;
  const running = new Map<string, WebhookRunner>();
  let unwatch: (() => void) | undefined;
  const writer = createWriteBehind({
    textAt: (id) => {
      const record = records.get(id);
      return record && JSON.stringify(record);
    },
    write: ({ kept, forgotten }) =>
      store.keepWebhooks({ kept: kept.map(({ key, known }) => ({ id: key, known })), forgotten }),
    batchMax: 256,
    schedule: (callback) => clock.at(clock.now() + limits.writeAfterMs, callback),
    onError,
  });
  const changed = new Set<string>();
  const wakeAll = () => {
    for (const [id, runner] of running) {
      const { conversation } = records.get(id)?.hook ?? {};
      if (conversation === undefined || changed.has(conversation)) runner.wake();
    }
    changed.clear();
  };
  // Later: a commit does not wait for the reads of webhooks.
  const wake = (conversationId: string) => {
    if (changed.size === 0) clock.at(clock.now(), wakeAll);
    changed.add(conversationId);
  };
  const forget = (id: string) => {
    running.delete(id);
    if (running.size > 0) return;
    unwatch?.();
    unwatch = undefined;
  };
  const end = async (id: string) => {
    const runner = running.get(id);
    forget(id);
    runner?.cut();
    await runner?.stop();
    writer.note(id);
  };
  return {
    start(record: WebhookRecord): void {
      const { id } = record.hook;
      const onProgress = () => writer.note(id);
      const onDisabled = () => {
        forget(id);
        writer.note(id);
        logDisabled(context, record);
      };
      const runner = new WebhookRunner(context, record, { onProgress, onDisabled });
      running.set(id, runner);
      unwatch ??= notifier.watch(undefined, wake);
      runner.start();
    },
    end,
    async disable(record: WebhookRecord, reason: string): Promise<void> {
      record.disabled = reason;
      logDisabled(context, record);
      await end(record.hook.id);
    },
    retryNow: (id: string) => running.get(id)?.retryNow(),
    lagSeconds: () => Math.max(0, ...[...running.values()].map((runner) => runner.lagMs())) / 1_000,
    async close({ drainMs }: { drainMs: number }): Promise<void> {
      unwatch?.();
      const all = [...running.values()];
      await atMost(clock, drainMs, Promise.all(all.map((runner) => runner.stop())));
      for (const runner of all) runner.cut();
      await Promise.all(all.map((runner) => runner.stop()));
      await writer.close();
    },
  };
}

function logDisabled({ logger }: Context, { hook, disabled }: WebhookRecord): void {
  logger.warn("a webhook was disabled", { webhook: hook.id, conversation: hook.conversation, reason: disabled });
}

type Management = Pick<Webhooks, "enable" | "rotateSecret" | "ping" | "redrive">;

function managementOf(context: Context, runners: Runners, recordOf: (id: string) => WebhookRecord): Management {
  const { log, store, clock, limits, refusalOf, self } = context;
  const keep = (record: WebhookRecord) =>
    store.keepWebhooks({ kept: [{ id: record.hook.id, known: JSON.stringify(record) }], forgotten: [] });
  return {
    async enable(id, registrant) {
      const record = recordOf(id);
      const hook = registrant === undefined ? record.hook : { ...record.hook, registrant };
      const refusal = await refusalOf(hook);
      if (refusal !== undefined) return refusal;
      record.hook = hook;
      if (record.disabled !== undefined) {
        delete record.disabled;
        await runners.end(id);
        delete record.failingSinceMs;
        for (const lane of record.lanes) delete lane.failing;
        runners.start(record);
      }
      await keep(record);
      return undefined;
    },
    async rotateSecret(id) {
      const record = recordOf(id);
      const secret = newWebhookSecret();
      const [old] = record.hook.secrets;
      const replaced = old === undefined ? [] : [{ ...old, untilMs: clock.now() + limits.oldSecretMs }];
      record.hook = { ...record.hook, secrets: [{ secret }, ...replaced] };
      await keep(record);
      return secret;
    },
    async ping(id) {
      const { hook } = recordOf(id);
      const outcome = await send(context, hook, pingOf(hook, clock), new AbortController().signal);
      if (outcome.kind === "delivered") runners.retryNow(id);
      return outcome;
    },
    async redrive(id, letter) {
      const { hook } = recordOf(id);
      const { conversationId, seq } = letter;
      const floor = await log.load(conversationId);
      const [entry] = await log.entries(conversationId, { after: seq - 1, limit: 1 });
      if (floor === undefined || entry === undefined || (await refusalOf(hook)) !== undefined) return undefined;
      const message = messageOf(hook, floor, entry, tracesOf(conversationId, self));
      const outcome = message && (await send(context, hook, message, new AbortController().signal));
      if (outcome?.kind === "delivered") await store.keepWebhookLetters({ kept: [], forgotten: [letter] });
      if (outcome?.kind === "failed") {
        await store.keepWebhookLetters({ kept: [{ ...letter, failure: outcome.failure }], forgotten: [] });
      }
      return outcome;
    },
  };
}

type Authority = { log: Pick<ConversationLog, "load">; isLive: WebhooksContext["isLive"] };

/** The operator may read every log. Others need their credential, and must own the conversation. */
async function refusalFor({ log, isLive }: Authority, hook: Webhook): Promise<string | undefined> {
  const { registrant, speaker, conversation = "" } = hook;
  const principal: Principal = { speakers: speaker === undefined ? [] : [speaker], scopes: [], ...registrant };
  if (isOperator(principal)) return undefined;
  if (!(await isLive(principal))) return "the credential that registered it has ended";
  const floor = await log.load(conversation);
  if (floor !== undefined && ownerOf(floor) === speaker) return undefined;
  return "its registrant does not own the conversation any more";
}

async function newRecord({ log, store }: Pick<Context, "log" | "store">, hook: Webhook): Promise<WebhookRecord> {
  const { conversation } = hook;
  if (conversation === undefined) return { hook, position: await store.logEnd(), lanes: [] };
  const lane: Lane = { conversationId: conversation, seq: await durableSeq(log, await log.load(conversation)) };
  return { hook, position: 0, lanes: [lane] };
}

/** An entry that is not durable may be lost, and its number used again. */
async function durableSeq(log: ConversationLog, floor: Floor | undefined): Promise<number> {
  if (floor === undefined) return 0;
  for (let seq = floor.seq; seq > 0; seq -= 1) {
    if ((await log.entries(floor.id, { after: seq - 1, limit: 1 })).length > 0) return seq;
  }
  return 0;
}

/** Entries that were not looked at yet; for all conversations those of the lanes only. */
async function pendingIn(log: ConversationLog, { lanes }: WebhookRecord): Promise<number> {
  const counts = lanes.map(async ({ conversationId, seq, until }) => {
    return (until ?? (await log.load(conversationId))?.seq ?? seq) - seq;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
