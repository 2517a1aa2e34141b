import type { Line } from "@plenary/transcript";

/** An agent's name arrives shortly after it joins; a line about it waits at most this long. */
const namedWithinMs = 1_000;

type Options = { isNamed: (speakerUri: string) => boolean; print: (line: Line) => void };

/** Printed lines cannot change, so lines wait in order until the names in them are known. */
export function createLineQueue({ isNamed, print }: Options) {
  let waiting: { line: Line; untilMs: number }[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    const nowMs = Date.now();
    while (waiting[0] !== undefined && (waiting[0].untilMs <= nowMs || namesIn(waiting[0].line).every(isNamed))) {
      const [first] = waiting.splice(0, 1);
      if (first !== undefined) print(first.line);
    }
    if (waiting[0] !== undefined) timer = setTimeout(flush, waiting[0].untilMs - nowMs);
  };
  return {
    add(line: Line): void {
      waiting.push({ line, untilMs: Date.now() + namedWithinMs });
      flush();
    },
    /** Call when names may have become known. */
    flush,
    isEmpty: () => waiting.length === 0,
    /** Prints the waiting lines as they are. */
    close(): void {
      clearTimeout(timer);
      for (const { line } of waiting) print(line);
      waiting = [];
    },
  };
}

function namesIn(line: Line): string[] {
  const names =
    line.kind === "note"
      ? line.words.map((word) => (typeof word === "string" ? undefined : word.speakerUri))
      : [line.sender, line.to];
  return names.filter((name) => typeof name === "string");
}
