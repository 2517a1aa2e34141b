import { createRemoteJWKSet, customFetch, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { Problem } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Principal } from "../ports/principal.ts";
import { issuedUri, isUri } from "../ports/speaker-uri.ts";
import type { TokenVerifier } from "./authenticate.ts";
import { asFetch, assertSafe, type IdentityDial } from "./issuer-dialler.ts";

/** Access tokens of RFC 9068, and those of issuers that give all their tokens one type. */
export const tokenTypes = ["at+jwt", "JWT"] as const;
export type TokenType = (typeof tokenTypes)[number];

export type JwtVerifierOptions = {
  issuer: string;
  jwksUrl: string;
  /** Ours: a token for somebody else is none for us. */
  audience: string;
  /** What the header `typ` must say; one of both when not given. */
  typ?: TokenType;
  dial: IdentityDial;
  clock: Clock;
};

// Fixed: which of them is used is the issuer's choice, never the sender's beyond it.
const algorithms = ["RS256", "PS256", "ES256", "EdDSA"];
const clockToleranceS = 5;
const tokenCharactersMax = 8_192;
/** No later time can be told. */
const timeMaxMs = 8.64e15;

/** Bearer tokens of one issuer, whose keys are fetched when they are needed and kept for ten minutes. */
export function createJwtVerifier(options: JwtVerifierOptions): TokenVerifier {
  const { issuer, jwksUrl, audience, typ, dial, clock } = options;
  const types = typ === undefined ? tokenTypes : [typ];
  assertSafe(jwksUrl, "the address of the issuer's keys");
  const keys = createRemoteJWKSet(new URL(jwksUrl), { [customFetch]: asFetch(dial) });
  const keyOf: JWTVerifyGetKey = (header, token) => keys(header, token).catch(judgeKeyError);
  return {
    async verify(token) {
      if (token.length > tokenCharactersMax) throw refused(`it is longer than ${tokenCharactersMax} characters`);
      const payload = await read(token);
      return principalOf(payload, issuer);
    },
  };

  async function read(token: string): Promise<JWTPayload> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keyOf, {
        ...{ issuer, audience, algorithms },
        clockTolerance: clockToleranceS,
        currentDate: new Date(clock.now()),
        requiredClaims: ["exp", "sub"],
      });
      assertType(protectedHeader.typ, types);
      return payload;
    } catch (error) {
      throw error instanceof Problem ? error : refused(wordsFor(error));
    }
  }
}

/** The issuer signs other kinds of tokens with the same keys: for signing out, as a proof, for events. */
function assertType(typ: unknown, types: readonly TokenType[]): void {
  const name = typeof typ === "string" ? typ.toLowerCase().replace(/^application\//u, "") : undefined;
  if (types.some((type) => type.toLowerCase() === name)) return;
  throw refused(`the "typ" of its header is not ${types.join(" or ")}`);
}

/** A token that names no key of the issuer's is bad; an issuer that cannot be asked says nothing about the token. */
function judgeKeyError(error: unknown): never {
  const isTokens = error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JOSENotSupported;
  if (isTokens || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
  throw new Problem("unavailable", { detail: "the keys of the token's issuer cannot be fetched" });
}

/** Nothing of the token itself: it may be good elsewhere. */
function wordsFor(error: unknown): string {
  if (error instanceof errors.JWTExpired) return "it has expired";
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `its claim ${JSON.stringify(error.claim)} is missing, or not one for this floor`;
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return `its algorithm is not one of ${algorithms.join(", ")}`;
  if (error instanceof errors.JWKSNoMatchingKey) return "it is signed with no key of its issuer";
  if (error instanceof errors.JWKSMultipleMatchingKeys) return "it does not say with which key it is signed";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "its signature is wrong";
  return "it cannot be read";
}

function principalOf({ sub, exp = 0, scope, ...claims }: JWTPayload, issuer: string): Principal {
  if (typeof sub !== "string" || sub === "") throw refused('its claim "sub" is not a text');
  const isHost = typeof scope === "string" && scope.split(" ").includes("plenary:host");
  return {
    id: `jwt:${issuer}#${sub}`,
    kind: isHost ? "person" : "agent",
    speakers: Object.hasOwn(claims, "speakers")
      ? speakersIn(claims.speakers)
      : [isUri(sub) ? sub : issuedUri(issuer, sub)],
    scopes: isHost ? ["host"] : [],
    untilMs: Math.min(exp * 1_000, timeMaxMs),
  };
}

function speakersIn(claim: unknown): readonly string[] {
  const isList = Array.isArray(claim) && claim.length > 0;
  if (isList && claim.every((one) => typeof one === "string" && isUri(one))) return claim;
  throw refused('its claim "speakers" is not a list of URIs');
}

function refused(why: string): Problem {
  return new Problem("unauthorized", { detail: `the token is refused: ${why}`, fix: "get a new one from its issuer" });
}
