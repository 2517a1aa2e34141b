import type { Identification } from "../transcript.ts";

/** Who is known, under every name it has or had. Those the log tells of stand first, in its order. */
type KnownPeople = {
  /** From the log; `names` are others it had before. */
  hear(identification: Identification, ...names: string[]): void;
  /** From the floor, which says who is here now. */
  look(identifications: readonly Identification[]): void;
  /** The same map for as long as nothing new is known. */
  all(): ReadonlyMap<string, Identification>;
};

export function createKnownPeople(): KnownPeople {
  const people = new Map<string, Identification>();
  /** Every name that is or was somebody's, and whose. */
  const owners = new Map<string, string>();
  const heard = new Set<string>();
  let newest: ReadonlyMap<string, Identification> | undefined;

  // Whoever is known better now is so in earlier lines too, under the names it had then.
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
