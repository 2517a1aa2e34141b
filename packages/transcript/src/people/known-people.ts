import type { Identification } from "../transcript.ts";

/** Known identifications, by current and former names. Those from the log come first, in its order. */
type KnownPeople = {
  /** Adds one from the log; `names` are its former names. */
  hear(identification: Identification, ...names: string[]): void;
  /** Adds those that the floor lists now. */
  look(identifications: readonly Identification[]): void;
  /** Returns the same map until something changes. */
  all(): ReadonlyMap<string, Identification>;
};

export function createKnownPeople(): KnownPeople {
  const people = new Map<string, Identification>();
  /** Current and former names -> current speakerUri. */
  const owners = new Map<string, string>();
  const heard = new Set<string>();
  let newest: ReadonlyMap<string, Identification> | undefined;

  // New facts also apply to earlier lines, under the former names.
  const named = (name: string) => people.get(owners.get(name) ?? name);
  const know = (identification: Identification, names: readonly string[]) => {
    const { speakerUri } = identification;
    const known = named(speakerUri);
    if (names.length === 0 && known !== undefined && isSame(known, identification)) return;
    newest = undefined;
    people.set(speakerUri, identification);
    for (const name of [speakerUri, ...names]) owners.set(name, speakerUri);
  };
  return {
    hear(identification, ...names) {
      know(identification, names);
      for (const name of [...names, identification.speakerUri]) {
        if (!heard.has(name)) newest = undefined;
        heard.add(name);
      }
    },
    look(identifications) {
      for (const identification of identifications) know(identification, []);
    },
    all() {
      newest ??= new Map([...heard, ...owners.keys()].map((name) => [name, named(name)] as const).filter(isKnown));
      return newest;
    },
  };
}

function isSame(one: Identification, other: Identification): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function isKnown(pair: readonly [string, Identification | undefined]): pair is [string, Identification] {
  return pair[1] !== undefined;
}
