import { hkdfSync } from "node:crypto";
import { EncryptJWT, jwtDecrypt } from "jose";
import * as client from "openid-client";
import { Problem } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { issuedUri } from "../ports/speaker-uri.ts";
import { asFetch, assertSafe, type IssuerDial } from "./issuer-dialler.ts";

type OidcOptions = {
  issuer: string;
  clientId: string;
  /** Without one this floor is a public client: PKCE protects the code. */
  clientSecret?: string;
  /** Who may sign in: `*`, an address, `@domain`, `sub:...`. Everyone the issuer authenticates when absent. */
  allow?: readonly string[];
  /** Encrypts the floor's login cookies. */
  secret: string;
  publicUrl: string;
  dial: IssuerDial;
  clock: Clock;
};

type SignInResult = { speakerUri: string; label?: string; returnPath: string };

/** Signing in with an OpenID provider: the code flow with PKCE. */
export type Oidc = {
  /** The redirect for the browser, and the content of its login cookie. */
  begin(returnPath: string): Promise<{ location: string; transaction: string }>;
  /** The person who returned from the issuer with this query; throws a problem. */
  finish(transaction: string | undefined, query: string): Promise<SignInResult>;
};

const clockToleranceS = 5;
const labelMax = 200;
const again = "begin again at /login";

/** The discovery document is fetched at the first sign-in, so a floor starts without its issuer. */
export function createOidc(options: OidcOptions): Oidc {
  assertSafe(options.issuer, "the issuer");
  const seal = createTransactionSeal(options.secret, options.clock);
  let known: Promise<client.Configuration> | undefined;
  const configuration = () => {
    known ??= discover(options).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  return {
    async begin(returnPath) {
      const config = await configuration();
      const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
      const location = client.buildAuthorizationUrl(config, {
        redirect_uri: callbackOf(options),
        scope: "openid profile email",
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      return { location: location.href, transaction: await seal.seal({ state, nonce, verifier, returnPath }) };
    },
    async finish(sealed, query) {
      const transaction = sealed === undefined ? undefined : await seal.open(sealed);
      if (transaction === undefined) throw refused("this sign-in was not started here, or it has expired");
      const { state, nonce, verifier, returnPath } = transaction;
      const config = await configuration();
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
      const url = new URL(`${callbackOf(options)}${query}`);
      const tokens = await client.authorizationCodeGrant(config, url, checks).catch(judge);
      const claims = tokens.claims();
      if (claims === undefined) throw refused("the issuer sent no identity");
      if (!isExpected(options.allow ?? ["*"], claims)) throw unexpected(claims);
      return { speakerUri: issuedUri(claims.iss, claims.sub), ...labelIn(claims), returnPath };
    },
  };
}

function callbackOf({ publicUrl }: OidcOptions): string {
  return `${publicUrl.replace(/\/$/u, "")}/login/callback`;
}

async function discover({ issuer, clientId, clientSecret, dial }: OidcOptions): Promise<client.Configuration> {
  const server = new URL(issuer);
  // Also checks the signature of a token that comes directly from the issuer.
  const execute = [client.enableNonRepudiationChecks];
  if (server.protocol === "http:") execute.push(client.allowInsecureRequests);
  const metadata = { [client.clockTolerance]: clockToleranceS };
  const options = { execute, [client.customFetch]: orUnavailable(dial) };
  try {
    return await client.discovery(server, clientId, metadata, authOf(clientSecret), options);
  } catch {
    throw unavailable("the issuer cannot be reached, or is not an OpenID provider");
  }
}

/** In the form if the issuer supports it, otherwise in the header (OpenID Connect Core, section 9). */
function authOf(clientSecret: string | undefined): client.ClientAuth {
  if (clientSecret === undefined) return client.None();
  const [inForm, inHeader] = [client.ClientSecretPost(clientSecret), client.ClientSecretBasic(clientSecret)];
  return (server, ...rest) => {
    const isInForm = server.token_endpoint_auth_methods_supported?.includes("client_secret_post") === true;
    return (isInForm ? inForm : inHeader)(server, ...rest);
  };
}

function orUnavailable(dial: IssuerDial): client.CustomFetch {
  const fetch = asFetch(dial);
  return async (url, init) => {
    const response = await fetch(url, init).catch(() => undefined);
    if (response === undefined || response.status >= 500) throw unavailable("the issuer cannot be reached");
    return response;
  };
}

function unavailable(detail: string): Problem {
  return new Problem("unavailable", { detail });
}

/** The message contains the issuer's error code, but no authorization code, token or secret. */
function judge(error: unknown): never {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof Problem) throw cause;
  if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError) {
    throw refused(`the issuer says: ${/^[\w.-]{1,64}$/u.test(error.error) ? error.error : "no"}`);
  }
  if (error instanceof client.WWWAuthenticateChallengeError) throw refused("the issuer does not know this floor");
  if (error instanceof client.ClientError) throw refused("the response does not belong to this sign-in");
  throw error;
}

function refused(detail: string): Problem {
  return new Problem("unauthorized", { detail: `signing in failed: ${detail}`, fix: again });
}

/** Names the subject, so the person can ask to be added to the list. */
function unexpected({ sub }: client.IDToken): Problem {
  const detail = `you have signed in as sub:${sub}, but you are not on the list of people who may sign in`;
  const fix = "ask the operator of this floor to add you to the list";
  return new Problem("forbidden", { detail, fix });
}

function labelIn({ name, email }: client.IDToken) {
  const label = [name, email].find((claim) => typeof claim === "string" && claim !== "");
  return typeof label === "string" ? { label: label.slice(0, labelMax) } : {};
}

/** State of a sign-in between the redirect to the issuer and the callback. */
type LoginTransaction = { state: string; nonce: string; verifier: string; returnPath: string };

export const transactionS = 600;

/** Encrypts the transaction for a cookie, so only this floor can read or create it. */
function createTransactionSeal(secret: string, clock: Clock) {
  const key = new Uint8Array(hkdfSync("sha256", secret, "", "plenary login transaction", 32));
  return {
    seal: (transaction: LoginTransaction) =>
      new EncryptJWT(transaction)
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .setExpirationTime(Math.floor(clock.now() / 1_000) + transactionS)
        .encrypt(key),
    /** Undefined when it is invalid or expired. */
    async open(sealed: string): Promise<LoginTransaction | undefined> {
      try {
        const { payload } = await jwtDecrypt<LoginTransaction>(sealed, key, {
          keyManagementAlgorithms: ["dir"],
          contentEncryptionAlgorithms: ["A256GCM"],
          currentDate: new Date(clock.now()),
          requiredClaims: ["exp"],
        });
        return payload;
      } catch {
        return undefined;
      }
    },
  };
}

/** The claims of a person that the allow list uses. */
type Claims = { sub: string; email?: unknown; email_verified?: unknown };

/**
 * Whether one item matches this person: `*` everyone, `sub:...` the subject, `@domain` a domain, otherwise an address. An
 * address counts only when the issuer has verified it: otherwise a person could claim any address.
 */
function isExpected(allow: readonly string[], { sub, email, email_verified: isVerified }: Claims): boolean {
  const address = typeof email === "string" && isVerified === true ? email.toLowerCase() : undefined;
  const domain = address?.slice(address.lastIndexOf("@"));
  return allow.some((item) => {
    if (item === "*") return true;
    if (item.startsWith("sub:")) return item === `sub:${sub}`;
    return item.includes("@") && item.toLowerCase() === (item.startsWith("@") ? domain : address);
  });
}
