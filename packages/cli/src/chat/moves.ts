import { nameOf } from "./move-notice.ts";
import type { Talk } from "./talk.ts";
import type { MoveView } from "./wire.ts";

/** Allows or refuses the agent of that name; the name may be left out where only one asks. */
export async function answerMove(rest: string, allow: boolean, talk: Talk): Promise<void> {
  const { moves = [] } = await talk.conversation.view();
  const { speakerUri } = moveIn(moves, rest.replace(/^@/u, ""));
  await talk.conversation.command("move", { speakerUri, allow });
  talk.look();
}

function moveIn(moves: readonly MoveView[], named: string): MoveView {
  const wanted = named.toLowerCase();
  const found = wanted === "" ? moves : moves.filter((move) => namesOf(move).includes(wanted));
  const [move, other] = found;
  if (move === undefined) {
    throw new Error(
      moves.length === 0 ? "No agent asks to move." : `${named} does not ask to move: ${list(moves)} does.`,
    );
  }
  if (other !== undefined) throw new Error(`Several agents ask to move. Name one: ${list(found)}`);
  return move;
}

function namesOf(move: MoveView): string[] {
  return [nameOf(move), move.speakerUri].map((name) => name.toLowerCase());
}

function list(moves: readonly MoveView[]): string {
  return moves
    .map((move) => (move.name === undefined ? move.speakerUri : `${move.name} (${move.speakerUri})`))
    .join(", ");
}
