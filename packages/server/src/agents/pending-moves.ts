import { type AddressChange, type Floor, ownerOf } from "@plenary/floor";
import { isSameUri } from "@plenary/protocol";
import type { FloorStore } from "../ports/store.ts";
import type { AgentRegistry } from "./registry.ts";

/** An agent that answers from another address than its bound one, and waits for the approval of the owner. */
export type OpenMove = AddressChange & {
  /** Its name, if known. */
  name?: string;
  /** Its bound address. */
  boundTo?: string;
};

type MoveContext = { store: Pick<FloorStore, "boundTo">; agents: Pick<AgentRegistry, "all"> };

/** Visible to the owner, and to the operator, who reads without a speaker. */
export async function openMoves(
  { store, agents }: MoveContext,
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

function isOf(speakerUri: string | undefined, move: AddressChange): boolean {
  return speakerUri !== undefined && isSameUri(speakerUri, move.speakerUri);
}
