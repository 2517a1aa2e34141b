// Writes the stores of the growth benchmark: through the store port, with the floor's own decisions, many in one commit.
import { openConversation, openStore, talkUntil } from "./filled-store.mjs";
import { answerQuestions } from "./processes.mjs";

/** Conversations that are opened at the same time. */
const atOnce = 500;

answerQuestions({
  start() {},
  /** A store in which each of these conversations has so many people and its log so many entries. */
  async fill({ file, ids, people, entries }) {
    const store = openStore(file);
    const guests = Array.from({ length: people - 1 }, (_, index) => `guest${index}`);
    for (let from = 0; from < ids.length; from += atOnce) {
      const some = ids.slice(from, from + atOnce);
      await Promise.all(some.map(async (id) => talkUntil(store, await openConversation(store, id, guests), entries)));
    }
    await store.close();
  },
});
