import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ReadyMadeOptions } from "@plenary/agents";
import type { Io } from "../io.ts";
import { stablePort } from "../serve/listen-port.ts";
import { storeFile } from "../store/location.ts";

/** The port an agent listens on, and its speakerUri or the unique part of it. */
export type AgentIdentity = { port: number; name: Pick<ReadyMadeOptions, "speakerUri" | "unique"> };

type ListenChoice = { port: number; speaker?: string };

/** How many agents of one kind can run in one folder, each with a stable port and identity. */
const sameKindMax = 8;

/**
 * A unique speakerUri that survives restarts (D39): a random part kept beside the store, plus the port, which separates
 * agents of one kind. `--speaker` overrides it.
 */
export async function agentIdentity(kind: string, { port, speaker }: ListenChoice, io: Io): Promise<AgentIdentity> {
  if (speaker !== undefined) {
    return { port: port === 0 ? await stablePort(speaker) : port, name: { speakerUri: speaker } };
  }
  const fresh = randomBytes(6).toString("hex");
  const kept = await loadOrCreateSecret(agentIdSecret, fresh, io);
  // The random part makes ports differ by folder: an agent elsewhere must not take this port, which is part of the identity.
  const chosen = port === 0 ? await stablePort(kept === undefined ? kind : `${kind} ${kept}`, sameKindMax) : port;
  return { port: chosen, name: { unique: `${kept ?? fresh}:${chosen}` } };
}

const agentIdSecret: StoredSecret = {
  file: "agent-id",
  pattern: /^[\da-f]{12}$/u,
  lost: "this agent's speakerUri changes on every restart",
  remedy: "give --speaker URI, or start it in a writable folder",
};

/** A random value that is created once and kept in a file beside the store. */
export type StoredSecret = {
  file: string;
  pattern: RegExp;
  /** For the warning when it cannot be kept: the consequence and the fix. */
  lost: string;
  remedy: string;
};

/**
 * The stored value, or `fresh` if there is none yet. Undefined when it cannot be stored; the operator then gets a warning.
 */
export async function loadOrCreateSecret(kept: StoredSecret, fresh: string, io: Io): Promise<string | undefined> {
  const store = storeFile(undefined, io);
  if (store === undefined) return undefined;
  const file = join(dirname(store), kept.file);
  try {
    return read(file, kept) ?? write(file, fresh, kept);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    await io.stderr.write(`plenary: ${file} cannot be kept (${code ?? message}), so ${kept.lost}: ${kept.remedy}\n`);
    return undefined;
  }
}

function read(file: string, { pattern }: StoredSecret): string | undefined {
  try {
    const text = readFileSync(file, "utf8").trim();
    return pattern.test(text) ? text : undefined;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
}

/** Writes atomically, and never over a value that another agent has written meanwhile. */
function write(file: string, fresh: string, kept: StoredSecret): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const made = `${file}-${fresh.slice(0, 12)}`;
  writeFileSync(made, `${fresh}\n`, { flag: "wx", mode: 0o600 });
  try {
    linkSync(made, file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    const known = read(file, kept);
    if (known !== undefined) return known;
    throw new Error("it has unexpected content; delete it");
  } finally {
    rmSync(made, { force: true });
  }
  return fresh;
}
