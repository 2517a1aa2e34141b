import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { JWTPayload } from "jose";
import { type Listening, listen, newSigner, type Signer, sign } from "./issuer.ts";

/** Deviations of the issuer that a test sets. */
type Quirks = {
  claims?: JWTPayload;
  signer?: Signer;
  /** Redirects with this error in place of a code. */
  error?: string;
  isBroken?: boolean;
};

export type OidcIssuer = Listening & { quirks: Quirks; signer: Signer };

type Grant = { challenge: string; nonce: string; redirectUri: string };

export const clientId = "the-floor";
export const clientSecret = "client-secret-of-the-floor";

/** A small OpenID provider where every user is Ann: a code is valid once, with its verifier. */
export async function createOidcIssuer(): Promise<OidcIssuer> {
  const signer = await newSigner("ES256", "issuer-1");
  const quirks: Quirks = {};
  const grants = new Map<string, Grant>();
  const listening = await listen((request, response) => {
    void answer(request).then(({ status = 200, location, body }) => {
      if (location !== undefined) response.setHeader("location", location);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body ?? {}));
    });
  });
  const issuer = listening.url;
  return { ...listening, quirks, signer };

  async function answer(request: IncomingMessage): Promise<{ status?: number; location?: string; body?: unknown }> {
    const { pathname, searchParams } = new URL(request.url ?? "", issuer);
    if (quirks.isBroken) return { status: 503 };
    if (pathname === "/.well-known/openid-configuration") return { body: metadata() };
    if (pathname === "/jwks") return { body: { keys: [signer.publicJwk] } };
    if (pathname === "/authorize") return { status: 302, location: authorize(searchParams) };
    if (pathname === "/token") return token(request);
    return { status: 404 };
  }

  function metadata() {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ["code"],
      id_token_signing_alg_values_supported: ["ES256"],
      code_challenge_methods_supported: ["S256"],
    };
  }

  function authorize(query: URLSearchParams): string {
    const named = (name: string) => query.get(name) ?? "";
    const redirectUri = named("redirect_uri");
    const code = randomBytes(16).toString("hex");
    if (named("code_challenge_method") === "S256" && named("client_id") === clientId) {
      grants.set(code, { challenge: named("code_challenge"), nonce: named("nonce"), redirectUri });
    }
    const result = quirks.error === undefined ? { code } : { error: quirks.error };
    return `${redirectUri}?${new URLSearchParams({ ...result, state: named("state") })}`;
  }

  async function token(request: IncomingMessage) {
    const chunks = await request.toArray();
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    const code = form.get("code") ?? "";
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight = grant?.challenge === challenge && grant.redirectUri === form.get("redirect_uri");
    if (!isRight || !isClient(request))
      return { status: 400, body: { error: "invalid_grant", error_description: `no grant for ${code}` } };
    const nowS = Math.floor(Date.now() / 1_000);
    const who = { sub: "ann/1", name: "Ann", email: "ann@example.com", nonce: grant.nonce };
    const claims = { iss: issuer, aud: clientId, iat: nowS, exp: nowS + 60, ...who, ...quirks.claims };
    const idToken = await sign(claims, quirks.signer ?? signer);
    return { body: { access_token: "access-token-of-ann", token_type: "bearer", id_token: idToken } };
  }
}

/** RFC 6749, section 2.3.1: both parts are encoded before they are joined. */
function isClient({ headers }: IncomingMessage): boolean {
  const parts = atob(headers.authorization?.replace(/^Basic /u, "") ?? "").split(":");
  return parts.map(decodeURIComponent).join(":") === `${clientId}:${clientSecret}`;
}
