import type { Running } from "../context.ts";
import type { Narrator, Told } from "./output.ts";

/** What is told while no client of a person listens. */
export type Absence = {
  add(told: readonly Told[]): void;
  /** Words that are being composed are in no log: whoever comes back would miss them. */
  begin(): void;
  /** Returns what was told. */
  end(): Told[];
};

type Scene = { running: Running; conversationId: string; speakerUri: string; narrator: Narrator };

const charsMax = 65_536;

/** Of more than this, what was said is told when the log is read. */
export function createAbsence({ running, conversationId, speakerUri, narrator }: Scene): Absence {
  let kept: Told[] = [];
  let chars = 0;
  let stop = nothing;
  const add = (told: readonly Told[]) => {
    if (told.length === 0 || chars > charsMax) return;
    kept.push(...told);
    chars += JSON.stringify(told).length;
  };
  return {
    add,
    begin() {
      stop = running.onDraft(conversationId, (draft, audience) => {
        if (!audience.includes(speakerUri)) return;
        add(narrator.draft(draft));
        if (chars > charsMax) stop();
      });
    },
    end() {
      stop();
      const told = kept;
      [kept, chars, stop] = [[], 0, nothing];
      return told;
    },
  };
}

function nothing(): void {}
