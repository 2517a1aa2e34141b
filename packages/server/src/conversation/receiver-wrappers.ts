import { Problem, problemDocument } from "../errors.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { Metrics } from "../ports/metrics.ts";
import { eventsIn } from "./erasure.ts";
import type { Receiver } from "./receive.ts";

/** Wraps a receiver: counts accepted and rejected inputs. */
export function countInputs(receiver: Receiver, metrics: Metrics): Receiver {
  const refused = (error: unknown): void => {
    if (!(error instanceof Problem)) return;
    if (error.code === "busy" || error.code === "overloaded") metrics.turnedAway(error.code);
  };
  return {
    ...receiver,
    async envelope(text, from) {
      try {
        const receipt = await receiver.envelope(text, from);
        metrics.envelope(200);
        return receipt;
      } catch (error) {
        refused(error);
        metrics.envelope(problemDocument(error).status);
        throw error;
      }
    },
    async command(conversationId, command, of) {
      try {
        return await receiver.command(conversationId, command, of);
      } catch (error) {
        refused(error);
        throw error;
      }
    },
  };
}

/**
 * Wraps a receiver: refuses to erase an entry without events. The core records an erasure without knowing the content
 * of the entry, and itself refuses an entry that does not exist.
 */
export function withErasable(receiver: Receiver, { entries }: Pick<ConversationLog, "entries">): Receiver {
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
  const detail = `/seq: entry ${seq} (${kind}) has no event, so there is nothing to erase`;
  return new Problem("refused", {
    pointer: "/seq",
    detail,
    fix: "name the entry that contains the utterance; the log shows its number",
  });
}
