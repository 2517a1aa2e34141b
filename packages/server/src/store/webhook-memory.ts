import type { LogRange, WebhookDeadLetter, WebhookStore } from "../ports/webhook-store.ts";

export type MemoryWebhooks = WebhookStore & {
  record(range: Omit<LogRange, "position">): void;
  sweepLetters(before: string): void;
};

export function createMemoryWebhooks(): MemoryWebhooks {
  const webhooks = new Map<string, string>();
  const letters = new Map<string, WebhookDeadLetter>();
  const ranges: LogRange[] = [];
  return {
    webhooks: async () => [...webhooks].map(([id, known]) => ({ id, known })),
    async keepWebhooks({ kept, forgotten }) {
      for (const id of forgotten) webhooks.delete(id);
      for (const [key, { webhook }] of letters) if (forgotten.includes(webhook)) letters.delete(key);
      for (const { id, known } of kept) webhooks.set(id, known);
    },
    webhookLetters: async ({ webhook, after = "", limit }) =>
      [...letters.values()]
        .filter((letter) => letter.webhook === webhook && letter.id > after)
        .sort((one, other) => (one.id < other.id ? -1 : 1))
        .slice(0, limit),
    async keepWebhookLetters({ kept, forgotten }) {
      for (const letter of forgotten) letters.delete(keyOf(letter));
      for (const letter of kept) letters.set(keyOf(letter), letter);
    },
    logRanges: async ({ after, limit }) => ranges.slice(after, after + limit),
    logEnd: async () => ranges.length,
    record: (range) => void ranges.push({ position: ranges.length + 1, ...range }),
    sweepLetters(before) {
      for (const [key, { at }] of letters) if (at < before) letters.delete(key);
    },
  };
}

function keyOf({ webhook, id }: Pick<WebhookDeadLetter, "webhook" | "id">): string {
  return JSON.stringify([webhook, id]);
}
