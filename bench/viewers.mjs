// People who look on, in a process of their own: they count what they see, and one of them checks the order.
import { answerQuestions, pause } from "./processes.mjs";
import { openRawSocket } from "./raw-socket.mjs";
import { idIn, orderOf } from "./speech.mjs";

const patienceMs = 20_000;
const groups = new Map();

function orderChecker() {
  const lastOf = new Map();
  let lastSeq = 0;
  return (frame) => {
    const { lane, count } = orderOf(idIn(frame));
    const seq = Number(/"seq":(\d+)\}$/u.exec(frame.toString("latin1", frame.length - 24))?.[1] ?? lastSeq + 1);
    const isInOrder = seq > lastSeq && count > (lastOf.get(lane) ?? -1);
    lastOf.set(lane, count);
    lastSeq = seq;
    return isInOrder;
  };
}

async function open({ name, port, paths, headers }) {
  const group = { seen: paths.map(() => 0), sockets: [], violations: 0 };
  const isInOrder = orderChecker();
  for (const [index, path] of paths.entries()) {
    const onFrame = (frame) => {
      group.seen[index] += 1;
      if (index === 0 && !isInOrder(frame)) group.violations += 1;
    };
    group.sockets.push(await openRawSocket({ port, path, headers, onFrame }));
  }
  groups.set(name, group);
}

/** Waits until every one of them has seen so many frames since the start. */
async function seen({ name, frames }) {
  const group = groups.get(name);
  const giveUpAt = performance.now() + patienceMs;
  while (group.seen.some((count) => count < frames)) {
    if (performance.now() > giveUpAt) throw new Error(`of ${frames} frames seen: ${group.seen.join(" ")}`);
    await pause(1);
  }
  const { violations } = group;
  return { violations, tooMany: group.seen.filter((count) => count > frames).length };
}

answerQuestions({
  start() {},
  open,
  seen,
  close({ name }) {
    for (const socket of groups.get(name).sockets) socket.destroy();
    groups.delete(name);
  },
});
