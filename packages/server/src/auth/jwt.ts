import { isUri } from "@plenary/api";
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { Problem } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Principal } from "../ports/principal.ts";
import { issuedUri } from "../ports/speaker-uri.ts";
import type { TokenVerifier } from "./authenticate.ts";
import { asFetch, assertSafe, type IssuerDial } from "./issuer-dialler.ts";

/** Access tokens of RFC 9068, and tokens of issuers that use one type for all tokens. */
export const tokenTypes = ["at+jwt", "JWT"] as const;
export type TokenType = (typeof tokenTypes)[number];

export type JwtVerifierOptions = {
  issuer: string;
  jwksUrl: string;
  /** The audience of this floor; tokens for other audiences are refused. */
  audience: string;
  /** The required `typ` header; either type when absent. */
  typ?: TokenType;
  dial: IssuerDial;
  clock: Clock;
};

// A fixed list, so the sender of a token cannot choose a weak algorithm.
const algorithms = ["RS256", "PS256", "ES256", "EdDSA"];
const clockToleranceS = 5;
const tokenCharactersMax = 8_192;
/** The latest time of a Date. */
const timeMaxMs = 8.64e15;

/** Verifies bearer tokens of one issuer. Fetches its keys on demand and caches them for ten minutes. */
export function createJwtVerifier(options: JwtVerifierOptions): TokenVerifier {
  const { issuer, jwksUrl, audience, typ, dial, clock } = options;
  const types = typ === undefined ? tokenTypes : [typ];
  assertSafe(jwksUrl, "the URL of the issuer's keys");
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
        issuer,
        audience,
        algorithms,
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

/** The issuer signs other kinds of tokens with the same keys: logout tokens, proofs, events. */
function assertType(typ: unknown, types: readonly TokenType[]): void {
  const name = typeof typ === "string" ? typ.toLowerCase().replace(/^application\//u, "") : undefined;
  if (types.some((type) => type.toLowerCase() === name)) return;
  throw refused(`the "typ" of its header is not ${types.join(" or ")}`);
}

/** A token with an unknown key is invalid; an unreachable issuer says nothing about the token. */
function judgeKeyError(error: unknown): never {
  const isTokens = error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JOSENotSupported;
  if (isTokens || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
  throw new Problem("unavailable", { detail: "the keys of the token's issuer cannot be fetched" });
}

/** Does not quote the token: it may be valid elsewhere. */
function wordsFor(error: unknown): string {
  if (error instanceof errors.JWTExpired) return "it has expired";
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `its claim ${JSON.stringify(error.claim)} is missing or wrong for this floor`;
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return `its algorithm is not one of ${algorithms.join(", ")}`;
  if (error instanceof errors.JWKSNoMatchingKey) return "its key is not a key of the issuer";
  if (error instanceof errors.JWKSMultipleMatchingKeys) return "it does not name its key";
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
