/** A Bloom filter of the ids of a conversation's utterances: says for certain that an id is new. */
export class IdFilter {
  /** Each part is twice as large as the one before. */
  readonly #parts: Uint32Array[] = [];
  #room = 0;
  #size = 0;

  /** Ids that it contains. */
  get size(): number {
    return this.#size;
  }

  add(id: string): void {
    if (this.#room === 0) {
      const ids = idsMin * 2 ** this.#parts.length;
      this.#parts.push(new Uint32Array((ids * bitsPerId) / 32));
      this.#room = ids;
    }
    this.#room -= 1;
    this.#size += 1;
    const part = this.#parts.at(-1);
    if (part === undefined) return;
    const hash = hashOf(id);
    for (let probe = 0; probe < probes; probe += 1) {
      const bit = bitOf(hash, probe, part.length);
      part[bit >>> 5] = (part[bit >>> 5] ?? 0) | (1 << (bit & 31));
    }
  }

  /** False: it was not added. */
  mayContain(id: string): boolean {
    if (this.#size === 0) return false;
    const hash = hashOf(id);
    return this.#parts.some((part) => contains(part, hash));
  }
}

const idsMin = 64;
const bitsPerId = 16;
const probes = 4;

function contains(part: Uint32Array, hash: number): boolean {
  for (let probe = 0; probe < probes; probe += 1) {
    const bit = bitOf(hash, probe, part.length);
    if (((part[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
  }
  return true;
}

/** Double hashing; the number of words is a power of two. */
function bitOf(hash: number, probe: number, words: number): number {
  return (hash + Math.imul(probe, (hash >>> 15) | 1)) & (words * 32 - 1);
}

/** FNV-1a, mixed. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
