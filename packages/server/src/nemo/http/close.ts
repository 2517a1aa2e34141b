import type { ServerContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import type { NemoPerson } from "../participant.ts";

type CloseContext = Pick<ServerContext, "receiver" | "onError">;

/** What was begun for one request alone is over with it. */
export async function closeConversation(
  { receiver, onError }: CloseContext,
  id: string,
  { speakerUri }: NemoPerson,
): Promise<void> {
  try {
    await receiver.command(id, { verb: "close" }, { by: { by: "owner", speakerUri } });
  } catch (error) {
    // It never began, or has ended already.
    if (!(error instanceof Problem)) onError(error);
  }
}
