// A floor in a process that can be asked for its heap, and a store that can be filled without asking the floor.
import { createFloorServer, silentLogger } from "@plenary/server";
import { openConversation, openStore, say } from "./filled-store.mjs";
import { answerQuestions } from "./processes.mjs";

const atOnce = 500;
let store;
let server;

/** Nothing here is sent anywhere. */
const dialler = { dial: () => Promise.reject(new Error("nobody is to be dialled")) };

const groupsOf = (from, to) =>
  Array.from({ length: Math.ceil((to - from) / atOnce) }, (_, group) => {
    const first = from + group * atOnce;
    return Array.from({ length: Math.min(atOnce, to - first) }, (_, index) => `conv:idle-${first + index}`);
  });

answerQuestions({
  async start({ file, token }) {
    store = openStore(file);
    if (token === undefined) return {};
    server = await createFloorServer({ store, dialler, logger: silentLogger }, { token, listen: { port: 0 } });
    return { url: server.url, port: server.port };
  },
  async converse({ from, to }) {
    for (const ids of groupsOf(from, to)) await Promise.all(ids.map((id) => openConversation(store, id)));
  },
  /** Conversations in which so much was said, until there are so many entries. */
  async fill({ entries, perConversation, perEnvelope }) {
    let written = 0;
    for (const ids of groupsOf(0, Math.ceil(entries / perConversation))) {
      const floors = await Promise.all(
        ids.map(async (id) => {
          let floor = await openConversation(store, id);
          while (floor.seq < perConversation) floor = await say(store, floor, perEnvelope);
          return floor;
        }),
      );
      written = floors.reduce((sum, { seq }) => sum + seq, written);
    }
    return { written };
  },
  heap() {
    globalThis.gc();
    globalThis.gc();
    return { heapBytes: process.memoryUsage().heapUsed };
  },
  async close() {
    await (server ?? store).close();
  },
});
