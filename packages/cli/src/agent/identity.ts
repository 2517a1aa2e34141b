import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ReadyMadeOptions } from "@plenary/agents";
import type { Io } from "../io.ts";
import { stablePort } from "../serve/listen-port.ts";
import { storeFile } from "../store/location.ts";

/** Where an agent listens, and what its speakerUri is made of. */
export type AgentIdentity = { port: number; name: Pick<ReadyMadeOptions, "speakerUri" | "unique"> };

type ListenChoice = { port: number; speaker?: string };

/** Agents of one kind that may run at a time in one folder and each keep port and name. */
const sameKindMax = 8;

/**
 * A name that no agent elsewhere has, and that a restart keeps (D39): a random part, made once and kept beside the store, and
 * the port, which tells agents of one kind apart. `--speaker` wins.
 */
export async function agentIdentity(kind: string, { port, speaker }: ListenChoice, io: Io): Promise<AgentIdentity> {
  if (speaker !== undefined) {
    return { port: port === 0 ? await stablePort(speaker) : port, name: { speakerUri: speaker } };
  }
  const fresh = randomBytes(6).toString("hex");
  const kept = await loadOrCreateSecret(agentIdSecret, fresh, io);
  // Other folders have other ports: an agent there must not take the port, and with it change the name, of one here.
  const chosen = port === 0 ? await stablePort(kept === undefined ? kind : `${kind} ${kept}`, sameKindMax) : port;
  return { port: chosen, name: { unique: `${kept ?? fresh}:${chosen}` } };
}

const agentIdSecret: StoredSecret = {
  ...{ file: "agent-id", pattern: /^[\da-f]{12}$/u, lost: "this agent's name changes when it restarts" },
  remedy: "give --speaker URI, or start it where files can be written",
};

/** Something random that is made once, and kept in a file beside the store. */
export type StoredSecret = {
  file: string;
  pattern: RegExp;
  /** What the operator reads when it cannot be kept: what that leads to, and what helps. */
  lost: string;
  remedy: string;
};

/**
 * The same for all agents that are started here, `fresh` where there is none yet. Undefined where it cannot be kept: the
 * operator gets a warning.
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

/** Whole or not at all, and never over one that another agent has written meanwhile. */
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
    throw new Error("it holds something else; remove it");
  } finally {
    rmSync(made, { force: true });
  }
  return fresh;
}
