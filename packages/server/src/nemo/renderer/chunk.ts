import type { NemoOutput } from "../output.ts";

/** One delta, in UTF-8. */
const deltaBytesMax = 16 * 1024;

/** A text in pieces that a client takes, cut between characters. */
export function deltas(text: string): NemoOutput[] {
  if (text === "") return [];
  // No character takes more than three bytes for each unit of its length.
  if (text.length * 3 <= deltaBytesMax) return [{ kind: "delta", text }];
  return [...pieces(text)].map((piece): NemoOutput => ({ kind: "delta", text: piece }));
}

function* pieces(text: string): Generator<string> {
  let [start, end, bytes] = [0, 0, 0];
  for (const character of text) {
    const size = bytesOf(character.codePointAt(0) ?? 0);
    if (bytes + size > deltaBytesMax) {
      yield text.slice(start, end);
      [start, bytes] = [end, 0];
    }
    bytes += size;
    end += character.length;
  }
  yield text.slice(start);
}

function bytesOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}
