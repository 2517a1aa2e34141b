import type { AccessContext, FloorContext, ProcessContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import { timeOf } from "../../ports/clock.ts";
import { type Credential, type CredentialStore, hasEnded, newCredentialToken } from "../../ports/credentials.ts";
import type { Mount } from "../../routing/guards.ts";

const lastsMs = 30 * 86_400_000;
export const livePagesMax = 100;

/** The caller's identity, and page tokens. */
export function mountSessions(mount: Mount, server: ProcessContext & FloorContext & AccessContext): void {
  mount("GET /api/v1/me", (c, { answer }) => {
    const { kind, speakers, scopes, conversations, label, untilMs } = c.get("principal");
    return answer({
      kind,
      speakers,
      scopes,
      ...(conversations !== undefined && { conversations }),
      ...(label !== undefined && { label }),
      ...(untilMs !== undefined && { expiresAt: new Date(untilMs).toISOString() }),
      floor: server.self,
    });
  });
  mount("POST /api/v1/sessions", async (c, { body, answer }) => {
    const { name, speakerUri = `${server.self.speakerUri}/host` } = await body();
    c.header("Cache-Control", "no-store");
    return answer(await bindPage(server, speakerUri, name?.trim()), 201);
  });
  mount("DELETE /api/v1/sessions", async (c) => {
    const [, id] = /^(?:page|guest):(.+)$/u.exec(c.get("principal").id) ?? [];
    if (id === undefined) {
      const fix = "revoke keys with `plenary keys revoke`, end sessions with POST /logout";
      throw new Problem("refused", { detail: "this credential is neither a page token nor a guest token", fix });
    }
    await server.credentials.revoke(id, timeOf(server.clock));
    return c.body(null, 204);
  });
}

/** D33: the operator's token speaks for anyone; the page token speaks for one person. */
async function bindPage(server: ProcessContext & AccessContext, speakerUri: string, name: string | undefined) {
  await endOldest(server.credentials, timeOf(server.clock));
  const { token, expiresAt } = await issueToken(server, "page", { speakerUri, label: name, lastsMs });
  return { token, speakerUri, ...(name !== undefined && { name }), expiresAt };
}

/** Issues the token of one person, who may create conversations. */
export async function issueToken(
  { credentials, clock }: Pick<ProcessContext & AccessContext, "credentials" | "clock">,
  kind: "page" | "session",
  { speakerUri, label, lastsMs: ms }: { speakerUri: string; label?: string | undefined; lastsMs: number },
): Promise<{ token: string; expiresAt: string }> {
  const { id, token, hash } = newCredentialToken(kind);
  const expiresAt = timeOf(clock, ms);
  await credentials.add({
    id,
    kind,
    hash,
    speakers: [speakerUri],
    scopes: ["host"],
    isPerson: true,
    createdAt: timeOf(clock),
    expiresAt,
    ...(label !== undefined && { label }),
  });
  return { token, expiresAt };
}

/** Every browser that opens the operator's link gets a page token, so the oldest are revoked. */
async function endOldest(credentials: CredentialStore, now: string): Promise<void> {
  const live: Credential[] = [];
  for await (const page of pagesOf(credentials)) live.push(...page.filter((one) => !hasEnded(one, now)));
  live.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  for (const { id } of live.slice(0, Math.max(0, live.length - livePagesMax + 1))) await credentials.revoke(id, now);
}

const batchMax = 500;

async function* pagesOf(credentials: CredentialStore): AsyncGenerator<readonly Credential[]> {
  for (let after: string | undefined = ""; after !== undefined; ) {
    const found: readonly Credential[] = await credentials.list({ kinds: ["page"], after, limit: batchMax });
    yield found;
    after = found.length === batchMax ? found.at(-1)?.id : undefined;
  }
}
