// A real floor on a free port, at which people sign in, and its operator.
import {
  type Clock,
  type Credential,
  createFloorServer,
  createMemoryCredentials,
  createMemoryStore,
  type FloorServerOptions,
  newCredentialToken,
  systemClock,
} from "@plenary/server";

export type Json = Record<string, unknown>;

export const operatorToken = "the-operators-own-token";

type Setting = { options?: FloorServerOptions; clock?: Clock };

export type Floor = Awaited<ReturnType<typeof startFloor>>;

export async function startFloor({ options, clock = systemClock }: Setting = {}) {
  const credentials = createMemoryCredentials();
  const nowhere = async (): Promise<never> => {
    throw Object.assign(new Error("nothing is called from here"), { code: "refused", isSent: false, retryable: false });
  };
  const ports = { store: createMemoryStore(), dialler: { dial: nowhere }, identityDial: nowhere, credentials, clock };
  const signIn = { issuer: "https://issuer.example/", clientId: "the-floor" };
  const server = createFloorServer(ports, { token: operatorToken, drainMs: 0, signIn, ...options });
  const { url, port } = await server.listen(0);
  const must = async (expected: number, method: string, path: string, body?: Json): Promise<Json> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${operatorToken}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== expected) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? {} : (JSON.parse(text) as Json);
  };
  return {
    ...{ url, port, must },
    /** The cookie of somebody who has signed in. */
    async signedIn(speakerUri: string) {
      const { token, ...made } = newCredentialToken("session");
      const [createdAt, expiresAt] = [0, 3_600_000].map((ms) => new Date(clock.now() + ms).toISOString());
      const session: Credential = {
        ...{ ...made, kind: "session", speakers: [speakerUri], scopes: ["host"], isPerson: true },
        createdAt: createdAt ?? "",
        ...(expiresAt && { expiresAt }),
      };
      await credentials.add(session);
      return { name: "plenary_session", value: token, url, httpOnly: true, sameSite: "Lax" as const };
    },
    close: () => server.close(),
  };
}

/** So many times as fast as the true one. */
export function hurriedClock(times: number): Clock {
  const startMs = systemClock.now();
  return {
    now: () => startMs + times * (systemClock.now() - startMs),
    at: (atMs, ring) => systemClock.at(startMs + Math.ceil((atMs - startMs) / times), ring),
  };
}
