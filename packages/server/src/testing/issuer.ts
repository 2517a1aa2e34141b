import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import type { IssuerDial } from "../auth/issuer-dialler.ts";

export type Listening = { url: string; requests: string[]; close: () => Promise<void> };

/** A real server on loopback that records the URLs of its requests. */
export async function listen(answer: RequestListener): Promise<Listening> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A real request, in place of the floor's dialler. */
export const dial: IssuerDial = (url, init) => fetch(url, { ...init, redirect: "manual" });

export type Signer = { kid: string; alg: string; privateKey: CryptoKey; publicJwk: JWK };

export async function newSigner(alg: string, kid: string, more: Parameters<typeof generateKeyPair>[1] = {}) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true, ...more });
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg };
  return { kid, alg, privateKey, publicJwk } satisfies Signer;
}

export function sign(claims: JWTPayload, { kid, alg, privateKey }: Signer, header: Record<string, unknown> = {}) {
  return new SignJWT(claims).setProtectedHeader({ alg, kid, typ: "JWT", ...header }).sign(privateKey);
}
