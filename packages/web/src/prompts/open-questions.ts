/** `index` is its position among all prompts, `keys` are its lookup keys. */
export type OpenQuestion = { asker: string; index: number; keys: readonly string[] };

/** Maximum open questions per asker; the oldest is dropped. */
const openMax = 50;

/** Index of unanswered questions by key, so that an utterance is compared with few of them. */
export function createOpenQuestions<Question extends OpenQuestion>() {
  const byKey = new Map<string, Question[]>();
  const byAsker = new Map<string, Question[]>();
  const close = (question: Question) => {
    for (const key of question.keys) remove(byKey, key, question);
    remove(byAsker, question.asker, question);
  };
  return {
    close,
    /** Returns the question that was dropped for it. */
    add(question: Question): Question | undefined {
      for (const key of question.keys) put(byKey, key, question);
      const [oldest, ...others] = put(byAsker, question.asker, question);
      if (oldest === undefined || others.length < openMax) return undefined;
      close(oldest);
      return oldest;
    },
    has: (key: string) => byKey.has(key),
    /** The newest question with one of the keys that fits. */
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
