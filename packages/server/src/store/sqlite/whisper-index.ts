import type { Entry } from "@plenary/floor";
import type { DialogEvent } from "@plenary/protocol";
import { matchingWhispers, whisperMark } from "../../conversation/whisper-match.ts";
import type { Db } from "./database.ts";
import type { SqliteReader } from "./reader.ts";

export type WhisperIndex = {
  like(no: number, dialogEvents: readonly DialogEvent[]): Promise<readonly Entry[]>;
};

const pageMax = 256;

/** Finds whispers by an index; only after a match it searches the log for equal public utterances. */
export function createWhisperIndex(db: Db, reader: SqliteReader): WhisperIndex {
  const known = db.prepare<[number, string, number, string], { seq: number; said: string }>(
    `SELECT seq, said FROM whisper WHERE conversation = ? AND id = ?
     UNION SELECT seq, said FROM whisper WHERE conversation = ? AND said = ?`,
  );
  return {
    async like(no, dialogEvents) {
      const marks = new Map<number, string>();
      const suspects = dialogEvents.filter((one) => {
        const whispers = known.all(no, one.id, no, whisperMark(one));
        for (const { seq, said } of whispers) marks.set(seq, said);
        return whispers.length > 0;
      });
      const found: Entry[] = [];
      if (suspects.length === 0) return found;
      for (let after = 0; ; ) {
        const page = reader.entries(no, { after, limit: pageMax });
        found.push(...matchingWhispers(page, suspects, (seq) => marks.get(seq)));
        const last = page.at(-1)?.seq;
        if (last === undefined) return found;
        after = last;
        // Yields to the event loop between pages.
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}
