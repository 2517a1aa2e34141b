// A unique word in every whisper, and a record of the readers that saw it.

/** A reader without a speaker: no whisper is for it. */
export const nobody = "nobody";

export type Canary = ReturnType<typeof createCanary>;

export function createCanary() {
  const parties: Set<string>[] = [];
  const leaks = new Set<string>();
  /** For each kind of output: how often it was checked, and how many whispers it rightly contained. */
  const looks = new Map<string, { times: number; found: Set<number> }>();
  return {
    leaks,
    count: () => parties.length,
    /** The word that identifies this whisper. Only these readers may ever see it. */
    token(...whose: string[]): string {
      parties.push(new Set(whose));
      return `WHISPER-${parties.length - 1}-`;
    },
    look(whose: string, where: string, text: string): void {
      const look = looks.get(where) ?? { times: 0, found: new Set() };
      look.times += 1;
      looks.set(where, look);
      for (const [word, number] of text.matchAll(/WHISPER-(\d+)-/gu)) {
        if (parties[Number(number)]?.has(whose) === true) look.found.add(Number(number));
        else leaks.add(`${word} of ${[...(parties[Number(number)] ?? [])].join(" and ")}: ${whose} saw it in ${where}`);
      }
    },
    times: (where: string) => looks.get(where)?.times ?? 0,
    foundIn: (where: string) => looks.get(where)?.found.size ?? 0,
    /** Whispers that one of their parties found. */
    found: () => new Set([...looks.values()].flatMap(({ found }) => [...found])).size,
    figures: () =>
      [...looks].map(([where, { times, found }]) => `${where}: ${times} looks, ${found.size} of their own`).join("; "),
  };
}
