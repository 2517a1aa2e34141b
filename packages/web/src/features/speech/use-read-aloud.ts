import { nameIn } from "@plenary/transcript";
import { useEffect, useRef } from "react";
import type { ConversationState } from "../../state/types.ts";
import { texts } from "../../texts/texts.ts";
import type { ReadAloud } from "./read-aloud.ts";

/** Reads new utterances of others aloud while the setting is on, and stops at once when it is switched off. */
export function useReadAloud(conversation: ConversationState, isOn: boolean): void {
  const { id, me } = conversation;
  const reader = useRef<ReadAloud>(undefined);
  const newest = useRef(conversation);
  newest.current = conversation;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation has another past
  useEffect(() => {
    if (!isOn) return;
    let stop: (() => void) | undefined;
    let isOver = false;
    void loadReader(me).then((loaded) => {
      if (isOver || loaded === undefined) return;
      reader.current = loaded.reader;
      stop = loaded.stop;
      read(loaded.reader, newest.current);
    });
    return () => {
      isOver = true;
      reader.current = undefined;
      stop?.();
    };
  }, [id, me, isOn]);
  useEffect(() => {
    if (reader.current !== undefined) read(reader.current, conversation);
  }, [conversation]);
}

/** Loaded on demand: the setting is off by default. Undefined without speech or without a connection. */
async function loadReader(me: string): Promise<{ reader: ReadAloud; stop(): void } | undefined> {
  try {
    const [{ createReadAloud }, { pageSpeechQueue }] = await Promise.all([
      import("./read-aloud.ts"),
      import("./speech-queue.ts"),
    ]);
    const queue = pageSpeechQueue();
    return queue && { reader: createReadAloud(queue, me), stop: queue.stop };
  } catch {
    return undefined;
  }
}

function read(reader: ReadAloud, conversation: ConversationState): void {
  const { connection, lines, me } = conversation;
  // Once the connection is live, all past lines have arrived.
  if (connection !== "live") return;
  reader.read(lines, (speakerUri) => (speakerUri === me ? texts.common.you.object : nameIn(conversation, speakerUri)));
}
