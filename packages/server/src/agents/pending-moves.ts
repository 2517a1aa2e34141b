import { type Floor, type Move, ownerOf } from "@plenary/floor";
import { isSameUri } from "@plenary/protocol";
import type { FloorStore } from "../ports/store.ts";
import type { AgentList } from "./registry.ts";

/** An agent that answers from another address than the one it is trusted at, and waits for the owner. */
export type OpenMove = Move & {
  /** What it is called, where that is known. */
  name?: string;
  /** Where it is trusted. */
  boundTo?: string;
};

type Needs = { store: Pick<FloorStore, "boundTo">; agents: Pick<AgentList, "all"> };

/** For the owner, and for the operator, who reads as nobody. */
export async function openMoves(
  { store, agents }: Needs,
  floor: Floor,
  speaker: string | undefined,
): Promise<OpenMove[]> {
  const { moves = [] } = floor;
  if (moves.length === 0 || (speaker !== undefined && speaker !== ownerOf(floor))) return [];
  const bound = await store.boundTo(moves);
  const known = agents.all();
  return moves.map((move, index) => {
    const boundTo = bound[index];
    const agent = known.find(({ manifest }) => isOf(manifest?.identification.speakerUri, move));
    const name = agent?.manifest?.identification.conversationalName.trim();
    return { ...move, ...(name && { name }), ...(boundTo !== undefined && { boundTo }) };
  });
}

function isOf(speakerUri: string | undefined, move: Move): boolean {
  return speakerUri !== undefined && isSameUri(speakerUri, move.speakerUri);
}
