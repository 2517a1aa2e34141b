import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ReadyMadeOptions } from "@plenary/agents";
import type { Io } from "../io.ts";
import { keptPort } from "../kept-port.ts";
import { storeFile } from "../store-place.ts";

/** Where an agent listens, and what its speakerUri is made of. */
export type OwnName = { port: number; name: Pick<ReadyMadeOptions, "speakerUri" | "unique"> };

type Wishes = { port: number; speaker?: string };

/** Agents of one kind that may run at a time in one folder and each keep port and name. */
const alikeMax = 8;

/**
 * A name that no agent elsewhere has, and that a restart keeps (D39): a random part, made once and kept beside the store, and
 * the port, which tells agents of one kind apart. `--speaker` wins.
 */
export async function ownNameOf(kind: string, { port, speaker }: Wishes, io: Io): Promise<OwnName> {
  if (speaker !== undefined) {
    return { port: port === 0 ? await keptPort(speaker) : port, name: { speakerUri: speaker } };
  }
  const fresh = randomBytes(6).toString("hex");
  const mark = await keptMark(fresh, io);
  // Other folders have other ports: an agent there must not take the port, and with it change the name, of one here.
  const chosen = port === 0 ? await keptPort(mark === undefined ? kind : `${kind} ${mark}`, alikeMax) : port;
  return { port: chosen, name: { unique: `${mark ?? fresh}:${chosen}` } };
}

const markFile = "agent-id";
const markPattern = /^[\da-f]{12}$/u;

/**
 * The random part of all agents that are started here, `fresh` where there is none yet. Undefined where it cannot be kept:
 * the operator gets a warning.
 */
async function keptMark(fresh: string, io: Io): Promise<string | undefined> {
  const store = storeFile(undefined, io);
  if (store === undefined) return undefined;
  const file = join(dirname(store), markFile);
  try {
    return readMark(file) ?? writeMark(file, fresh);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code ?? message;
    const remedy = "give --speaker URI, or start it where files can be written";
    await io.stderr.write(
      `plenary: ${file} cannot be kept (${why}), so this agent's name changes when it restarts: ${remedy}\n`,
    );
    return undefined;
  }
}

function readMark(file: string): string | undefined {
  try {
    const mark = readFileSync(file, "utf8").trim();
    return markPattern.test(mark) ? mark : undefined;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
}

/** Whole or not at all, and never over one that another agent has written meanwhile. */
function writeMark(file: string, mark: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const made = `${file}-${mark}`;
  writeFileSync(made, `${mark}\n`, { flag: "wx", mode: 0o600 });
  try {
    linkSync(made, file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    const kept = readMark(file);
    if (kept !== undefined) return kept;
    throw new Error("it holds something else; remove it");
  } finally {
    rmSync(made, { force: true });
  }
  return mark;
}
