import { connect, type Floor, FloorProblem } from "@plenary/client";
import { FloorError } from "../errors.ts";
import type { LocatedFloor } from "./access.ts";

/** Which speaker to be, for a key or operator token that may speak for several. */
export type SpeakerChoice = { speaker?: string; name?: string };

/** Finds the floor; called again when it does not respond. */
export type LocateFloor = () => Promise<LocatedFloor>;

/** A person who waits at a terminal repeats a command; utterances are repeated by the outbox. */
const limits = { persistMs: 0, retryMaxMs: 5_000 };

/** An operator token speaks as the page's person by default (D33); a key speaks as its own speaker. */
export async function connectFloor(locate: LocateFloor, { speaker, name }: SpeakerChoice): Promise<Floor> {
  const choice = { ...(speaker !== undefined && { speaker }), ...(name !== undefined && { name }) };
  try {
    return await connect({ ...(await locate()), ...choice, session: true, locate, limits });
  } catch (problem) {
    if (!(problem instanceof FloorProblem) || problem.title !== "Speaker not chosen") throw problem;
    const { detail, fix = "", status } = problem;
    throw new FloorError(`${detail}: ${fix.replace("`speaker`", "--speaker")}`, { status, cause: problem });
  }
}
