import { Problem, problemDocument } from "../errors.ts";
import type { Metrics } from "../ports/metrics.ts";
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
