import type { AddressChange, Conversation, ConversationView } from "@plenary/client";

/** Shows once for each agent that it moved, and how the owner allows or refuses the new address. */
export function createMoveNotice(tell: (text: string) => void): (view: ConversationView) => void {
  let known = new Set<string>();
  return ({ moves = [] }) => {
    for (const move of moves) if (!known.has(keyOf(move))) tell(noticeOf(move));
    known = new Set(moves.map(keyOf));
  };
}

function keyOf({ speakerUri, serviceUrl }: AddressChange): string {
  return JSON.stringify([speakerUri, serviceUrl]);
}

function noticeOf({ speakerUri, name = speakerUri, serviceUrl, boundTo }: AddressChange): string {
  const before = boundTo === undefined ? "" : `; it was at ${boundTo}`;
  return `${name} now answers from ${serviceUrl}${before}. /allow ${name} accepts this address, /refuse ${name} refuses it.`;
}

type MoveSession = { conversation: Conversation; refreshViewSoon: () => void };

/** Allows or refuses a new address; the name is optional when only one agent moved. */
export async function answerMove(rest: string, allow: boolean, session: MoveSession): Promise<void> {
  const { moves = [] } = await session.conversation.view();
  const { speakerUri } = moveIn(moves, rest.replace(/^@/u, ""));
  await session.conversation.command("move", { speakerUri, allow });
  session.refreshViewSoon();
}

function moveIn(moves: readonly AddressChange[], named: string): AddressChange {
  const isNamed = (name = "") => name.toLowerCase() === named.toLowerCase();
  const found = moves.filter(({ name, speakerUri }) => named === "" || isNamed(name) || isNamed(speakerUri));
  const [move, other] = found;
  if (move === undefined) {
    throw new Error(
      moves.length === 0 ? "No agent has a new address." : `${named} has no new address: ${list(moves)} has one.`,
    );
  }
  if (other !== undefined) throw new Error(`Several agents have a new address. Give one: ${list(found)}`);
  return move;
}

function list(moves: readonly AddressChange[]): string {
  return moves
    .map((move) => (move.name === undefined ? move.speakerUri : `${move.name} (${move.speakerUri})`))
    .join(", ");
}
