import { isPrivate } from "@plenary/protocol";
import type { DeliveringContext, StorageContext } from "../../context.ts";
import { eventFor } from "../../conversation/conversation-view.ts";
import type { Reader } from "../../conversation/visibility.ts";
import { Problem } from "../../errors.ts";
import type { DeadLetter, DeadLetterKey } from "../../ports/outbox.ts";
import type { Mount } from "../../routing/guards.ts";

const root = "/api/v1/dead-letters";

/** The operator lists, reads and redelivers failed deliveries. */
export function mountDeadLetters(mount: Mount, server: StorageContext & DeliveringContext): void {
  const { outbox, effectRunner } = server;
  mount(`GET ${root}`, async (_c, { query, answer }) => {
    const { limit = 100, conversation: conversationId, after: cursor, speaker } = query;
    const letters = await outbox.deadLetters({
      limit,
      ...(conversationId !== undefined && { conversationId }),
      ...(cursor !== undefined && { after: cursorOf(cursor) }),
    });
    const last = letters.at(-1);
    return answer({
      deadLetters: letters.map((letter) => viewOf(letter, speaker)),
      next: letters.length === limit && last !== undefined ? nameOf(last) : null,
    });
  });
  mount(`GET ${root}/:id`, async (c, { query: { speaker }, answer }) => {
    const key = keyOf(c.req.param("id") ?? "");
    const letter = key && (await outbox.deadLetter(key));
    if (letter === undefined) throw unknown();
    return answer(viewOf(letter, speaker));
  });
  mount(`POST ${root}/:id/redrive`, async (c, { answer }) => {
    const id = c.req.param("id") ?? "";
    const key = keyOf(id);
    if (key === undefined || !(await effectRunner.redeliver(key))) throw unknown();
    return answer({ id }, 202);
  });
}

function unknown(): Problem {
  return new Problem("not-found", { detail: "there is no such dead letter", fix: `GET ${root} lists them` });
}

/** A delivery id is unique within its conversation only. */
function nameOf({ conversationId, effect }: DeadLetter): string {
  return Buffer.from(JSON.stringify([conversationId, effect.delivery])).toString("base64url");
}

function keyOf(id: string): DeadLetterKey | undefined {
  try {
    const key: unknown = JSON.parse(Buffer.from(id, "base64url").toString());
    if (!Array.isArray(key) || key.length !== 2) return undefined;
    const [conversationId, delivery]: unknown[] = key;
    return typeof conversationId === "string" && typeof delivery === "string"
      ? { conversationId, delivery }
      : undefined;
  } catch {
    return undefined;
  }
}

function cursorOf(text: string): DeadLetterKey {
  const key = keyOf(text);
  if (key === undefined) throw new Problem("bad-request", { detail: "`after` is the `next` of an earlier answer" });
  return key;
}

/** D33: the operator, reading as no speaker, sees that there was a whisper and its recipient, but not the text. */
function viewOf(letter: DeadLetter, speaker: string | undefined) {
  const { conversationId, effect, failure, detail, at } = letter;
  const { delivery, to, sender } = effect;
  const isParty = speaker === sender.speakerUri || speaker === to.speakerUri;
  const reader: Reader = speaker === undefined ? { kind: "operator" } : { kind: "conversant", name: speaker };
  const events = effect.events.map((event) => {
    if (!isPrivate(event) || isParty) return eventFor(event, sender.speakerUri, reader);
    const { parameters: _, ...bare } = event;
    return { ...bare, isHidden: true };
  });
  return { id: nameOf(letter), conversation: conversationId, delivery, to, sender, events, failure, detail, at };
}
