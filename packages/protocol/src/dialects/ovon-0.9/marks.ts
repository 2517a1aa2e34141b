// Two events exist in 0.9 only because 1.1.0 says the same in another place: the whisper that repeats the history of an
// invite, and the utterance that gives the reason of a declined one. Their dialog event ids end in a mark, so that a reader
// can distinguish them from real utterances. An id that ends so by itself gets one more suffix.
const own = /:plenary:(?:history|reason)(?::plain)*$/u;

type Mark = ":plenary:history" | ":plenary:reason";

export function withMark(id: string, mark: Mark): string {
  return id + mark;
}

/** The id without its mark, or undefined when it has none. */
export function unmarked(id: string, mark: Mark): string | undefined {
  return id.endsWith(mark) ? id.slice(0, -mark.length) : undefined;
}

export function toOvonId(id: string): string {
  return own.test(id) ? `${id}:plain` : id;
}

export function fromOvonId(id: string): string {
  return own.test(id) && id.endsWith(":plain") ? id.slice(0, -":plain".length) : id;
}
