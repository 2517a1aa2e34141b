/** One process of a node, from its start to its death. After its death its pending calls never resolve. */
export type NodeProcess = {
  name: string;
  isAlive: boolean;
  /** Callbacks for its death, each called once. */
  onDeath: Set<() => void>;
};

export function startProcess(name: string): NodeProcess {
  return { name, isAlive: true, onDeath: new Set() };
}

export function endProcess(nodeProcess: NodeProcess): void {
  if (!nodeProcess.isAlive) return;
  nodeProcess.isAlive = false;
  for (const callback of nodeProcess.onDeath) callback();
  nodeProcess.onDeath.clear();
}

/** The promise never settles if the process dies first. */
export function whileAlive<T>(nodeProcess: NodeProcess, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (!nodeProcess.isAlive) return;
    work().then(
      (value) => nodeProcess.isAlive && resolve(value),
      (error) => nodeProcess.isAlive && reject(error),
    );
  });
}
