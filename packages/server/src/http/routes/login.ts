import { assertOwnPage } from "../../auth/authenticate.ts";
import { type Oidc, transactionS } from "../../auth/oidc.ts";
import { clearCookie, cookieIn, loginCookie, sessionCookie, setCookie } from "../../auth/session-cookie.ts";
import { Problem } from "../../errors.ts";
import { type Clock, timeOf } from "../../ports/clock.ts";
import { type CredentialStore, isSecretOf, partsOf } from "../../ports/credentials.ts";
import type { Mount } from "../../routing/guards.ts";
import { issueToken } from "./sessions.ts";

type LoginOptions = { oidc: Oidc; credentials: CredentialStore; publicUrl: string; clock: Clock };

const sessionS = 43_200;
const returnPathMax = 1_024;

/** Sign-in with the configured issuer; a cookie then identifies the person. */
export function mountLogin(mount: Mount, options: LoginOptions): void {
  const { oidc, publicUrl } = options;
  mount("GET /login", async (c) => {
    const returnPath = returnPathIn(c.req.query("return") ?? "/", publicUrl);
    const { location, transaction } = await oidc.begin(returnPath);
    c.header("Set-Cookie", setCookie(loginCookie(publicUrl), transaction, transactionS, publicUrl));
    c.header("Cache-Control", "no-store");
    return c.redirect(location, 302);
  });
  mount("GET /login/callback", async (c) => {
    c.env?.onWait?.();
    const transaction = cookieIn(c.req.raw.headers, loginCookie(publicUrl));
    const { returnPath, ...person } = await oidc.finish(transaction, new URL(c.req.url).search);
    const { token } = await issueToken(options, "session", { ...person, lastsMs: sessionS * 1_000 });
    c.header("Set-Cookie", setCookie(sessionCookie(publicUrl), token, sessionS, publicUrl));
    c.header("Set-Cookie", clearCookie(loginCookie(publicUrl), publicUrl), { append: true });
    c.header("Cache-Control", "no-store");
    return c.redirect(returnPath, 302);
  });
  mount("POST /logout", async (c) => {
    const { headers } = c.req.raw;
    assertOwnPage(headers, publicUrl);
    await endSession(cookieIn(headers, sessionCookie(publicUrl)) ?? "", options);
    c.header("Set-Cookie", clearCookie(sessionCookie(publicUrl), publicUrl));
    return c.body(null, 204);
  });
}

async function endSession(cookie: string, { credentials, clock }: LoginOptions): Promise<void> {
  const parts = partsOf(cookie);
  const found = parts?.kind === "session" ? await credentials.find(parts.id) : undefined;
  if (parts === undefined || found === undefined || !isSecretOf(found, parts.secret)) return;
  await credentials.revoke(found.id, timeOf(clock));
}

/**
 * A path of this floor, normalized as by a browser. Refuses what a browser could read as another host: browsers treat `\`
 * as `/`, and ignore tabs and line breaks.
 */
function returnPathIn(given: string, publicUrl: string): string {
  const isPath = given.length <= returnPathMax && /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(given);
  const url = isPath && URL.canParse(given, publicUrl) ? new URL(given, publicUrl) : undefined;
  // `/.//host` becomes `//host` when it is normalized.
  if (url !== undefined && !url.pathname.startsWith("//")) return `${url.pathname}${url.search}${url.hash}`;
  const fix = "give `return` as a path of this floor, such as /?conversation=ID";
  throw new Problem("bad-request", { detail: "`return` is not a path of this floor", fix });
}
