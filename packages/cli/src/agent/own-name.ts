import { randomBytes } from "node:crypto";
import type { ReadyMadeOptions } from "@plenary/agents";
import type { Io } from "../io.ts";
import { keptPort } from "../kept-port.ts";
import { type Kept, keptSecret } from "./kept-secret.ts";

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
  const kept = await keptSecret(mark, fresh, io);
  // Other folders have other ports: an agent there must not take the port, and with it change the name, of one here.
  const chosen = port === 0 ? await keptPort(kept === undefined ? kind : `${kind} ${kept}`, alikeMax) : port;
  return { port: chosen, name: { unique: `${kept ?? fresh}:${chosen}` } };
}

const mark: Kept = {
  ...{ file: "agent-id", pattern: /^[\da-f]{12}$/u, lost: "this agent's name changes when it restarts" },
  remedy: "give --speaker URI, or start it where files can be written",
};
