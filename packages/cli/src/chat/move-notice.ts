import type { ConversationView, MoveView } from "./wire.ts";

/** Says once of each agent that it answers from another address, and how the owner allows or refuses that. */
export function createMoveNotice(tell: (text: string) => void): (view: ConversationView) => void {
  let known = new Set<string>();
  return ({ moves = [] }) => {
    for (const move of moves) if (!known.has(keyOf(move))) tell(noticeOf(move));
    known = new Set(moves.map(keyOf));
  };
}

function keyOf({ speakerUri, serviceUrl }: MoveView): string {
  return JSON.stringify([speakerUri, serviceUrl]);
}

function noticeOf(move: MoveView): string {
  const { serviceUrl, boundTo } = move;
  const name = nameOf(move);
  const before = boundTo === undefined ? "" : `; it was at ${boundTo}`;
  return `${name} now answers from ${serviceUrl}${before}. /allow ${name} lets it in there, /refuse ${name} leaves it out.`;
}

/** What it is called here, by the person who answers. */
export function nameOf({ name, speakerUri }: MoveView): string {
  return name ?? speakerUri;
}
