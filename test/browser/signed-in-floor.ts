// A test floor at which people sign in, and its operator.
import {
  type Clock,
  type Credential,
  createMemoryCredentials,
  type FloorServerOptions,
  newCredentialToken,
  systemClock,
} from "@plenary/server";
import { noDialler, startTestFloor } from "../support/start-test-floor.ts";

type Setting = { options?: FloorServerOptions; clock?: Clock };

export type SignedInFloor = Awaited<ReturnType<typeof startSignedInFloor>>;

export async function startSignedInFloor({ options, clock = systemClock }: Setting = {}) {
  const credentials = createMemoryCredentials();
  const identityDial = () => Promise.reject(new Error("the issuer cannot be reached"));
  const signIn = { issuer: "https://issuer.example/", clientId: "the-floor" };
  const floor = await startTestFloor({
    retries: "default",
    dialler: noDialler,
    identityDial,
    credentials,
    clock,
    signIn,
    ...options,
  });
  return {
    ...floor,
    /** The cookie of a person who has signed in. */
    async signedIn(speakerUri: string) {
      const { token, ...made } = newCredentialToken("session");
      const [createdAt, expiresAt] = [0, 3_600_000].map((ms) => new Date(clock.now() + ms).toISOString());
      const session: Credential = {
        ...made,
        kind: "session",
        speakers: [speakerUri],
        scopes: ["host"],
        isPerson: true,
        createdAt: createdAt ?? "",
        ...(expiresAt && { expiresAt }),
      };
      await credentials.add(session);
      return { name: "plenary_session", value: token, url: floor.url, httpOnly: true, sameSite: "Lax" as const };
    },
  };
}

/** A clock that runs `times` as fast. */
export function fastClock(times: number): Clock {
  const startMs = systemClock.now();
  return {
    now: () => startMs + times * (systemClock.now() - startMs),
    at: (atMs, ring) => systemClock.at(startMs + Math.ceil((atMs - startMs) / times), ring),
  };
}
