// An issuer of signed tokens that a floor trusts.
import { generateKeyPairSync, sign } from "node:crypto";
import { createJwtVerifier, systemClock, type TokenVerifier } from "@plenary/server";

/** The floor gets its keys without a network. */
export function createIssuer(): { tokens: TokenVerifier; tokenOf(speakerUri: string): string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys = [{ ...publicKey.export({ format: "jwk" }), kid: "k", alg: "ES256" }];
  const [issuer, audience] = ["https://issuer.example", "https://floor.example/openfloor"];
  const tokens = createJwtVerifier({
    issuer,
    audience,
    jwksUrl: `${issuer}/keys`,
    clock: systemClock,
    dial: async () => new Response(JSON.stringify({ keys }), { headers: { "content-type": "application/json" } }),
  });
  return {
    tokens,
    tokenOf(speakerUri) {
      const exp = Math.floor(Date.now() / 1_000) + 600;
      const claims = { iss: issuer, aud: audience, sub: speakerUri, exp, scope: "plenary:host" };
      const signed = [{ alg: "ES256", kid: "k", typ: "JWT" }, claims].map(encoded).join(".");
      const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
      return `${signed}.${signature.toString("base64url")}`;
    },
  };
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
