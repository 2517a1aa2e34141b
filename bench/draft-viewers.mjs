// People who watch agents compose, in a process of their own: each says something first, and counts the deltas it is shown.
import { answerQuestions, pause } from "./processes.mjs";
import { openRawSocket, textFrame } from "./raw-socket.mjs";

const patienceMs = 30_000;
const groups = new Map();

/** `hello`: what is said once the socket is open, if anything. */
async function open({ name, port, headers, marker, lines }) {
  const group = { seen: lines.map(() => 0), sockets: [] };
  groups.set(name, group);
  for (const [index, { path, hello }] of lines.entries()) {
    const onFrame = (frame) => {
      if (frame.includes(marker)) group.seen[index] += 1;
    };
    const socket = await openRawSocket({ port, path, headers, onFrame });
    group.sockets.push(socket);
    if (hello !== undefined) socket.write(textFrame(hello));
  }
}

/** Waits until every one of them has been shown so many deltas since the start. */
async function seen({ name, deltas }) {
  const group = groups.get(name);
  const giveUpAt = performance.now() + patienceMs;
  while (group.seen.some((count) => count < deltas)) {
    if (performance.now() > giveUpAt) throw new Error(`${name}: of ${deltas} deltas seen: ${group.seen.join(" ")}`);
    await pause(1);
  }
  return { tooMany: group.seen.filter((count) => count > deltas).length };
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
