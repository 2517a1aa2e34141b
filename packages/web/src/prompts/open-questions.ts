/** `place` is its number among all that was ever asked, `keys` are the names under which it is looked for. */
export type OpenQuestion = { asker: string; index: number; keys: readonly string[] };

/** So many open questions of one asker can be answered; whoever asks more gives up the oldest. */
const openMax = 50;

/** Those that wait for an answer, each found by its keys: whatever anybody says is held against few of them. */
export function createOpenQuestions<Question extends OpenQuestion>() {
  const byKey = new Map<string, Question[]>();
  const byAsker = new Map<string, Question[]>();
  const close = (question: Question) => {
    for (const key of question.keys) remove(byKey, key, question);
    remove(byAsker, question.asker, question);
  };
  return {
    close,
    /** What was given up for it. */
    add(question: Question): Question | undefined {
      for (const key of question.keys) put(byKey, key, question);
      const [oldest, ...others] = put(byAsker, question.asker, question);
      if (oldest === undefined || others.length < openMax) return undefined;
      close(oldest);
      return oldest;
    },
    has: (key: string) => byKey.has(key),
    /** The newest that has one of these keys and fits. */
    newest(keys: readonly string[], fits: (question: Question) => boolean): Question | undefined {
      let newest: Question | undefined;
      for (const key of keys) {
        const found = byKey.get(key)?.findLast(fits);
        if (found !== undefined && found.index > (newest?.index ?? -1)) newest = found;
      }
      return newest;
    },
  };
}

function put<Question>(lists: Map<string, Question[]>, key: string, question: Question): Question[] {
  const list = lists.get(key) ?? [];
  if (list.length === 0) lists.set(key, list);
  list.push(question);
  return list;
}

function remove<Question>(lists: Map<string, Question[]>, key: string, question: Question): void {
  const list = lists.get(key);
  const at = list?.indexOf(question) ?? -1;
  if (list === undefined || at < 0) return;
  list.splice(at, 1);
  if (list.length === 0) lists.delete(key);
}
