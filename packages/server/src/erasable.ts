import { Problem } from "./errors.ts";
import type { FloorStore } from "./ports.ts";
import type { Receiver } from "./receive.ts";
import { eventsIn } from "./stores/erasure.ts";

/**
 * The same receiver; nobody is told that something is forgotten when nothing can be. The core writes that an entry is
 * erased and does not know what it holds. What is not there is the core's to refuse.
 */
export function withErasable(receiver: Receiver, { entries }: Pick<FloorStore, "entries">): Receiver {
  return {
    ...receiver,
    async command(conversationId, command, of) {
      if (command.verb === "erase") {
        const { seq } = command;
        const [entry] = await entries(conversationId, { after: seq - 1, limit: 1 });
        if (entry?.seq === seq && eventsIn(entry).length === 0) throw nothingIn(entry);
      }
      return receiver.command(conversationId, command, of);
    },
  };
}

function nothingIn({ seq, kind }: { seq: number; kind: string }): Problem {
  const detail = `/seq: entry ${seq} (${kind}) holds no event, so there is nothing in it to erase`;
  return new Problem("refused", {
    pointer: "/seq",
    detail,
    fix: "name the entry in which it was said; the log shows it",
  });
}
