import { isSameUri } from "@plenary/protocol";
import {
  addressOf,
  type Credential,
  type CredentialStore,
  hasEnded,
  isLive,
  type SigningSecret,
} from "../ports/credentials.ts";

/** Credentials in memory, for a floor without a database. */
export function createMemoryCredentials(): CredentialStore {
  const credentials = new Map<string, Credential>();
  const secrets = new Map<string, SigningSecret>();
  return {
    find: async (id) => credentials.get(id),
    add: async (credential) => addNew(credentials, credential),
    async use(id, now) {
      const found = credentials.get(id);
      if (found === undefined || !isLive(found, now)) return false;
      if (found.usesLeft !== undefined) credentials.set(id, { ...found, usesLeft: found.usesLeft - 1 });
      return true;
    },
    async giveBack(id) {
      const found = credentials.get(id);
      if (found?.usesLeft !== undefined) credentials.set(id, { ...found, usesLeft: found.usesLeft + 1 });
    },
    async revoke(id, now) {
      const found = credentials.get(id);
      if (found === undefined || hasEnded(found, now)) return false;
      for (const one of [...credentials.values()].filter((other) => other.id === id || other.parent === id)) {
        if (one.revokedAt === undefined) credentials.set(one.id, { ...one, revokedAt: now });
      }
      return true;
    },
    async list({ kinds, conversation, after = "", limit }) {
      return [...credentials.values()]
        .filter(({ id, kind }) => id > after && (kinds === undefined || kinds.includes(kind)))
        .filter((one) => conversation === undefined || one.conversation === conversation)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit);
    },
    isPerson: async (speakerUri, now) =>
      [...credentials.values()].some((one) => {
        const isOnes = one.isPerson && one.kind !== "link" && !hasEnded(one, now);
        return isOnes && one.speakers.some((name) => isSameUri(name, speakerUri));
      }),
    ...secretsIn(secrets),
    async sweepCredentials(before) {
      for (const one of credentials.values()) if (hasEndedBefore(one, before)) credentials.delete(one.id);
      for (const one of secrets.values()) if (hasEndedBefore(one, before)) secrets.delete(one.id);
    },
  };
}

function secretsIn(secrets: Map<string, SigningSecret>) {
  return {
    addSecret: async (secret) => addNew(secrets, { ...secret, serviceUrl: addressOf(secret.serviceUrl) }),
    async revokeSecret(id, now) {
      const found = secrets.get(id);
      if (found === undefined || found.revokedAt !== undefined) return false;
      secrets.set(id, { ...found, revokedAt: now });
      return true;
    },
    async secretsFor(serviceUrl) {
      const address = addressOf(serviceUrl);
      return [...secrets.values()]
        .filter((one) => one.serviceUrl === address && one.revokedAt === undefined)
        .reverse()
        .sort((a, b) => b.createdAt.localeCompare(a.createdAt))
        .slice(0, 2)
        .map(({ secret }) => secret);
    },
    listSecrets: async () => [...secrets.values()],
  } satisfies Partial<CredentialStore>;
}

function addNew<One extends { id: string }>(known: Map<string, One>, one: One): void {
  if (known.has(one.id)) throw new Error(`credential ${one.id} already exists`);
  known.set(one.id, one);
}

function hasEndedBefore({ revokedAt, expiresAt }: { revokedAt?: string; expiresAt?: string }, before: string): boolean {
  return [revokedAt, expiresAt].some((at) => at !== undefined && at < before);
}
