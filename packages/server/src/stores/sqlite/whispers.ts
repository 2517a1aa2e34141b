import type { Entry } from "@plenary/floor";
import { type DialogEvent, textOf } from "@plenary/protocol";
import { isLike, spokenIn } from "../alike.ts";
import type { Db } from "./database.ts";
import type { Reader } from "./reader.ts";
import { whisperMark } from "./writer.ts";

export type Whispers = {
  like(no: number, dialogEvents: readonly DialogEvent[]): Promise<readonly Entry[]>;
};

const pageMax = 256;

/** Whispers are found by an index; only where there is one, the log is searched for public utterances alike. */
export function createWhispers(db: Db, reader: Reader): Whispers {
  const known = db.prepare<[number, string, number, string], { seq: number }>(
    `SELECT seq FROM whisper WHERE conversation = ? AND id = ?
     UNION SELECT seq FROM whisper WHERE conversation = ? AND said = ? LIMIT 1`,
  );
  return {
    async like(no, dialogEvents) {
      const suspects = dialogEvents.filter((one) => {
        return known.get(no, one.id, no, whisperMark(one.speakerUri, textOf(one))) !== undefined;
      });
      const found: Entry[] = [];
      if (suspects.length === 0) return found;
      for (let after = 0; ; ) {
        const page = reader.entries(no, { after, limit: pageMax });
        found.push(...page.filter((entry) => suspects.some((one) => isLike(spokenIn(entry), one))));
        const last = page.at(-1)?.seq;
        if (last === undefined) return found;
        after = last;
        // A long log is read in pieces, between which others are served.
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}
