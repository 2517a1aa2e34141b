// A floor whose agents compose without end: what each has begun to answer stays open, and goes on word by word when told to.
import { createFloorServer, createMemoryStore, silentLogger } from "@plenary/server";
import { answerQuestions, pause } from "./processes.mjs";

const scheme = "bench:";
const words = " and so the tale goes on";
/** A draft is shown at most ten times a second (D30): sooner, words would be gathered and not be passed on at once. */
const betweenMs = 105;
const manyMore = { perS: 1e6, burst: 1e6 };

/** Conversation -> the delivery that its agent has not finished answering. */
const letters = new Map();

const agents = {
  reaches: ({ serviceUrl }) => serviceUrl.startsWith(scheme),
  send(letter) {
    letters.set(letter.conversationId, letter);
    return new Promise((resolve) => {
      letter.signal.addEventListener("abort", () => resolve({ kind: "aborted" }), { once: true });
    });
  },
};

const dialler = { dial: () => Promise.reject(new Error("nobody is to be dialled")) };

let server;

answerQuestions({
  async start({ token }) {
    const rateLimits = { perPrincipal: manyMore, perAddress: manyMore, conversations: manyMore };
    const ports = { store: createMemoryStore(), dialler, outbounds: [agents], logger: silentLogger };
    server = await createFloorServer(ports, { token, rateLimits, listen: { port: 0 } });
    return { url: server.url, port: server.port };
  },
  composing: ({ conversations }) => ({ count: conversations.filter((id) => letters.has(id)).length }),
  /** One delta in each of these conversations, so many times. */
  async compose({ conversations, times }) {
    const begun = conversations.map((id) => letters.get(id));
    const cpuBefore = process.cpuUsage();
    let busyMs = 0;
    for (let time = 0; time < times; time += 1) {
      const startedAt = performance.now();
      for (const { onDraft, delivery } of begun) onDraft({ dialogEventId: `draft-${delivery}`, delta: words });
      // What is written at the end of a tick has been written by then.
      await new Promise((resolve) => setImmediate(resolve));
      busyMs += performance.now() - startedAt;
      await pause(betweenMs);
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    return { cpuUs: user + system, busyMs };
  },
});
