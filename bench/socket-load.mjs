// Users on WebSockets, in a process of their own: each says something, waits for the agent's words, and goes on.
import { answerQuestions } from "./processes.mjs";
import { percentile } from "./ratio.mjs";
import { openRawSocket, textFrame } from "./raw-socket.mjs";
import { anyCount, createSpeech } from "./speech.mjs";

const targets = new Map();
const tally = { latencies: [], until: 0 };
const patienceMs = 10_000;

const ping = Buffer.from("2");
const pong = textFrame("3");

/** `hello`: what is sent first, one for each frame that comes, as socket.io wants it. */
async function createUser({ port, headers, marker, isNumbered }, { path, hello = [], around = ["", ""], ...lane }) {
  const numbered = (text) => (isNumbered ? `${text.slice(0, -1)},"id":"mine-${anyCount}"}` : text);
  const speech = createSpeech(lane, (text) => textFrame(`${around[0]}${numbered(text)}${around[1]}`));
  const greetings = [...hello];
  let sentAt = 0;
  let ended;
  const onFrame = (frame, socket) => {
    if (frame.equals(ping)) socket.write(pong);
    else if (greetings.length > 0) socket.write(textFrame(greetings.shift()));
    if (ended === undefined || !frame.includes(marker)) return;
    tally.latencies.push(performance.now() - sentAt);
    if (performance.now() < tally.until) say();
    else ended();
  };
  const socket = await openRawSocket({ port, path, headers, onFrame });
  const say = () => {
    sentAt = performance.now();
    socket.write(speech.next());
  };
  return {
    run: () =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`${path}: no answer`)),
          tally.until - performance.now() + patienceMs,
        );
        ended = () => {
          clearTimeout(timer);
          ended = undefined;
          resolve();
        };
        say();
      }),
    close: () => socket.destroy(),
  };
}

async function run({ name, ms }) {
  const users = targets.get(name);
  Object.assign(tally, { latencies: [], until: performance.now() + ms });
  const startedAt = performance.now();
  await Promise.all(users.map((user) => user.run()));
  const tookMs = performance.now() - startedAt;
  const [p50, p99] = [0.5, 0.99].map((part) => percentile(tally.latencies, part));
  return { count: tally.latencies.length, tookMs, p50, p99 };
}

answerQuestions({
  start() {},
  /** `marker` tells the agent's words from everything else; `isNumbered`: each frame has an id of its own. */
  async open({ name, lanes, ...target }) {
    targets.set(name, await Promise.all(lanes.map((lane) => createUser(target, lane))));
  },
  run,
  close({ name }) {
    for (const user of targets.get(name)) user.close();
    targets.delete(name);
  },
});
