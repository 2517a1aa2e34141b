import { Hono } from "hono";
import { createIdentity } from "../auth/authenticate.ts";
import { createOidc } from "../auth/oidc.ts";
import { problemDocument } from "../errors.ts";
import { mountLogin } from "../http/routes/login.ts";
import type { Clock } from "../ports/clock.ts";
import type { CredentialStore } from "../ports/credentials.ts";
import type { Env, Mount } from "../routing/guards.ts";
import { dial } from "./issuer.ts";
import { clientId, clientSecret } from "./oidc-issuer.ts";

export type LoginFloor = {
  base: string;
  issuer: string;
  credentials: CredentialStore;
  clock: Clock;
  allow?: readonly string[];
};

/** A floor with the login routes only, and `/me`, which returns the authenticated principal. */
function floorAt({ base, issuer, credentials, clock, allow }: LoginFloor): Hono<Env> {
  const app = new Hono<Env>();
  const publicUrl = base;
  const oidc = createOidc({
    issuer,
    clientId,
    clientSecret,
    secret: "sealing",
    publicUrl,
    dial,
    clock,
    ...(allow && { allow }),
  });
  const identity = createIdentity({ token: "operator", credentials, sessions: { publicUrl }, clock });
  app.onError((error) => {
    const problem = problemDocument(error);
    return Response.json(problem, { status: problem.status });
  });
  const mount: Mount = (route, handler) => {
    const [method = "", path = ""] = route.split(" ");
    app.on(method, path, handler as never);
  };
  mountLogin(mount, { oidc, credentials, publicUrl, clock });
  app.all("/me", async (c) => c.json(await identity.identify(c.req.raw.headers, c.req.method)));
  return app;
}

/** Stores cookies, and does not follow redirects. */
export function createBrowser(floor: LoginFloor) {
  const { base } = floor;
  const app = floorAt(floor);
  const jar = new Map<string, string>();
  const set: string[] = [];
  return {
    jar,
    /** All Set-Cookie headers, in order. */
    set,
    async go(path: string, init: { method?: string; headers?: Record<string, string> } = {}) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await app.request(`${base}${path}`, { ...init, headers: { cookie, ...init.headers } });
      for (const line of response.headers.getSetCookie()) {
        set.push(line);
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/u.exec(line) ?? [];
        if (value === "") jar.delete(name);
        else jar.set(name, value);
      }
      return response;
    },
    /** Follows the redirects to the issuer and back. Returns the path of the callback. */
    async visitIssuer(from = "/login") {
      const begun = await this.go(from);
      if (begun.status !== 302) throw new Error(await begun.text());
      const back = await fetch(begun.headers.get("location") ?? "", { redirect: "manual" });
      const { pathname, search } = new URL(back.headers.get("location") ?? "");
      return `${pathname}${search}`;
    },
    async signIn(from = "/login") {
      const callback = await this.visitIssuer(from);
      return { callback, response: await this.go(callback) };
    },
  };
}
