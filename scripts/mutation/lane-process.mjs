// Starts `lane.mjs` and starts it again when a mutant makes it hang: a mutant that never ends counts as noticed.
import { fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../bootstrap.mjs";

const hangMs = 180_000;

export function startLane({ folder, chosen, name, workers }) {
  const byFile = groupByFile(chosen);
  const ids = [...byFile].map(([file, mutants]) => ({ file, ids: mutants.map(({ id }) => id) }));
  const env = {
    ...process.env,
    PLENARY_MUTATION: folder,
    PLENARY_CHOSEN: JSON.stringify(ids),
    PLENARY_LANE: name,
    PLENARY_WORKERS: String(workers),
    RUNS: "300",
  };
  // The short form of each test is enough to notice a mutant.
  delete env.PLENARY_NIGHTLY;
  let child;

  async function ready() {
    if (child !== undefined) return;
    writeFileSync(join(folder, `active-${name}`), "");
    child = fork(join(root, "scripts/mutation/lane.mjs"), {
      cwd: root,
      env,
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    await new Promise((resolve) => child.once("message", resolve));
  }

  function stop() {
    if (child === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
    child = undefined;
  }

  async function run(order) {
    await ready();
    const asked = child;
    const result = await new Promise((resolve) => {
      // Without a mutant all tests run, and none hangs.
      const timer = order.id === "" ? undefined : setTimeout(() => done(undefined), hangMs);
      const onExit = () => done(undefined);
      const done = (message) => {
        clearTimeout(timer);
        asked.off("message", done).off("exit", onExit);
        resolve(message);
      };
      asked.on("message", done).on("exit", onExit);
      asked.send(order);
    });
    if (result !== undefined) return result;
    stop();
    return { isRed: true, by: "does not end" };
  }

  return { run, stop };
}

function groupByFile(chosen) {
  const groups = new Map();
  for (const mutant of chosen) groups.set(mutant.file, [...(groups.get(mutant.file) ?? []), mutant]);
  return groups;
}
