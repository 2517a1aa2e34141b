// Many sockets that only listen, in a process of their own.
import { answerQuestions, pause } from "./processes.mjs";
import { openRawSocket } from "./raw-socket.mjs";

const atOnce = 100;
const patienceMs = 30_000;
let sockets = [];
let seen = [];

answerQuestions({
  start() {},
  async open({ port, headers, paths }) {
    const before = sockets.length;
    seen.push(...paths.map(() => 0));
    for (let from = 0; from < paths.length; from += atOnce) {
      const group = paths.slice(from, from + atOnce).map((path, index) => {
        const place = before + from + index;
        return openRawSocket({ port, path, headers, onFrame: () => (seen[place] += 1) });
      });
      sockets.push(...(await Promise.all(group)));
    }
  },
  /** Waits until each has seen so many frames, and says how many have seen exactly that. */
  async seen({ frames }) {
    const giveUpAt = performance.now() + patienceMs;
    while (seen.some((count) => count < frames) && performance.now() < giveUpAt) await pause(20);
    return { exactly: seen.filter((count) => count === frames).length };
  },
  close() {
    for (const socket of sockets) socket.destroy();
    [sockets, seen] = [[], []];
  },
});
