/** One process from its start to its death. What it had begun never comes back to it afterwards. */
export type Life = {
  name: string;
  isAlive: boolean;
  /** Called once each, when it dies. */
  mourners: Set<() => void>;
};

export function beginLife(name: string): Life {
  return { name, isAlive: true, mourners: new Set() };
}

export function endLife(life: Life): void {
  if (!life.isAlive) return;
  life.isAlive = false;
  for (const mourn of life.mourners) mourn();
  life.mourners.clear();
}

/** The dead hear nothing: the promise stays open for ever. */
export function whileAlive<T>(life: Life, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (!life.isAlive) return;
    work().then(
      (value) => life.isAlive && resolve(value),
      (error) => life.isAlive && reject(error),
    );
  });
}
