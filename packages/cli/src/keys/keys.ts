import { randomBytes } from "node:crypto";
import type { Credential, CredentialStore, SigningSecret } from "@plenary/server";
import type { ExitCode, Io } from "../io.ts";
import { existingStoreFile, persistentStoreFile } from "../store/location.ts";
import { openCredentials, storeOpenError } from "../store/store.ts";
import { keyNotes, type ListedKey, listedCredential, listedSecret, secretNotes, tableOf } from "./key-list.ts";

export type KeysOptions = { store?: string; json: boolean };

export type AddKeyOptions = KeysOptions & {
  speaker: readonly string[];
  person: boolean;
  /** The agent may host conversations. */
  host?: boolean;
  label?: string;
  /** Milliseconds. */
  expires: number | "never";
};

/** Prints the key once, alone on stdout; the store keeps only its hash. */
export async function addKey(options: AddKeyOptions, io: Io): Promise<ExitCode> {
  const { newCredentialToken } = await import("@plenary/server");
  return withStore(persistentStoreFile(options.store, io), async (credentials, file) => {
    const { id, token, hash } = newCredentialToken("key");
    const { speaker: speakers, person: isPerson, host: isHost = false, label, expires } = options;
    const nowMs = Date.now();
    const key: Credential = {
      id,
      kind: "key",
      hash,
      speakers,
      isPerson,
      scopes: isPerson || isHost ? ["host"] : [],
      createdAt: new Date(nowMs).toISOString(),
      ...(label !== undefined && { label }),
      ...(expires !== "never" && { expiresAt: new Date(nowMs + expires).toISOString() }),
    };
    await credentials.add(key);
    await show({ ...listedCredential(key, key.createdAt), token }, token, keyNotes(key, file), options, io);
    return 0;
  });
}

export type AddSecretOptions = KeysOptions & { serviceUrl: string };

/** Two at a time, so that an agent gets the new secret before the old one is revoked. */
const liveSecretsMax = 2;

/** Creates the secret that signs deliveries to an agent. Printed once; the floor keeps it, because it signs with it. */
export async function addSecret(options: AddSecretOptions, io: Io): Promise<ExitCode> {
  const { newCredentialId } = await import("@plenary/server");
  return withStore(persistentStoreFile(options.store, io), async (credentials, file) => {
    const { serviceUrl } = options;
    if ((await credentials.secretsFor(serviceUrl)).length >= liveSecretsMax) {
      return refuse(io, `${serviceUrl} already has two secrets: revoke one first; plenary keys list shows them`);
    }
    const secret = `whsec_${randomBytes(32).toString("base64")}`;
    const added: SigningSecret = { id: newCredentialId(), serviceUrl, secret, createdAt: new Date().toISOString() };
    await credentials.addSecret(added);
    await show({ ...listedSecret(added), secret }, secret, secretNotes(added, file), options, io);
    return 0;
  });
}

/** The secret goes alone to stdout, for scripts. */
async function show(listed: ListedKey, secret: string, about: string, { json }: KeysOptions, io: Io): Promise<void> {
  await io.stdout.write(`${json ? JSON.stringify(listed) : secret}\n`);
  await io.stderr.write(about);
}

const pageMax = 500;

/** Never prints a secret or its hash. */
export async function listKeys(options: KeysOptions, io: Io): Promise<ExitCode> {
  return withStore(existingStoreFile(options.store, io), async (credentials) => {
    const now = new Date().toISOString();
    const listed: ListedKey[] = [];
    for (let after: string | undefined = ""; after !== undefined; ) {
      const page: readonly Credential[] = await credentials.list({ after, limit: pageMax });
      listed.push(...page.map((one) => listedCredential(one, now)));
      after = page.length === pageMax ? page.at(-1)?.id : undefined;
    }
    listed.push(...(await credentials.listSecrets()).map(listedSecret));
    const lines = options.json ? listed.map((one) => `${JSON.stringify(one)}\n`).join("") : tableOf(listed);
    await io.stdout.write(lines);
    return 0;
  });
}

/** Accepts the id or the token itself, so that a leaked token can be revoked without its id. */
export async function revokeKey(given: string, options: KeysOptions, io: Io): Promise<ExitCode> {
  const { partsOf } = await import("@plenary/server");
  const id = partsOf(given)?.id ?? given;
  return withStore(existingStoreFile(options.store, io), async (credentials) => {
    const now = new Date().toISOString();
    const isRevoked = (await credentials.revoke(id, now)) || (await credentials.revokeSecret(id, now));
    if (options.json) await io.stdout.write(`${JSON.stringify({ id, revoked: isRevoked })}\n`);
    else if (isRevoked) await io.stdout.write(`${id} is revoked\n`);
    if (isRevoked) return 0;
    const isKnown =
      (await credentials.find(id)) !== undefined || (await credentials.listSecrets()).some((one) => one.id === id);
    return refuse(io, isKnown ? `${id} had already ended` : "there is no such id: plenary keys list shows all");
  });
}

async function refuse(io: Io, why: string): Promise<ExitCode> {
  await io.stderr.write(`plenary: ${why}\n`);
  return 1;
}

type Run = (credentials: CredentialStore, file: string) => Promise<ExitCode>;

/** Works while a floor runs on the same file. */
async function withStore(file: string, run: Run): Promise<ExitCode> {
  const { StoreError } = await import("@plenary/server");
  const credentials = await openCredentials(file);
  try {
    return await run(credentials, file);
  } catch (cause) {
    throw cause instanceof StoreError ? storeOpenError(file, cause.code, cause) : cause;
  } finally {
    await credentials.close();
  }
}
