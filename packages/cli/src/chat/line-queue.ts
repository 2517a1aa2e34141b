import type { Line } from "@plenary/transcript";

/** An agent says its name a moment after it came; for so long a line about it waits. */
const namedWithinMs = 1_000;

type Options = { isNamed: (speakerUri: string) => boolean; print: (line: Line) => void };

/** What is printed stays as it was printed: lines wait, in their order, until those in them have names. */
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
    /** Somebody may have a name now. */
    flush,
    isEmpty: () => waiting.length === 0,
    /** Whatever is left is printed as it is. */
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
