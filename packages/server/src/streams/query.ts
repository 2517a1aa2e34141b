import { isUri } from "@plenary/api";
import { Problem } from "../errors.ts";
import { assertConversation, assertSpeaker, type Principal } from "../ports/principal.ts";
import { numberQuery } from "../routing/fields.ts";
import { type Cursor, parseCursor } from "./cursor.ts";

/** One conversation after an entry, as events or in the brief view, or all conversations of a speaker after a cursor. */
export type ViewerRequest = { speaker: string } & (
  | { conversation: string; after: number; isBrief: boolean }
  | { cursor: Cursor }
);

const textMax = 2_048;

export function speakerOf(query: URLSearchParams, principal: Principal): string {
  const speaker = query.get("speaker") ?? "";
  if (speaker.length > textMax || !isUri(speaker)) {
    throw new Problem("bad-request", { detail: "`speaker` must be the URI of the viewer or agent" });
  }
  assertSpeaker(principal, speaker);
  return speaker;
}

/** The stream starts after `lastEventId` or `after`; without both, at the beginning of the log. */
export function viewerRequestOf(
  query: URLSearchParams,
  speaker: string,
  principal: Principal,
  lastEventId?: string,
): ViewerRequest {
  const [only] = principal.conversations ?? [];
  const conversation = query.get("conversation") ?? only ?? null;
  if (conversation !== null) assertConversation(principal, conversation);
  const after = lastEventId ?? query.get("after") ?? undefined;
  const isBrief = isBriefIn(query.get("view") ?? undefined);
  if (isBrief && conversation === null) {
    throw new Problem("bad-request", { detail: "`view=brief` needs the parameter `conversation`" });
  }
  if (conversation === null) return { speaker, cursor: parseCursor(after ?? "") };
  if (conversation === "" || conversation.length > textMax) {
    throw new Problem("bad-request", { detail: "`conversation` is the id of a conversation" });
  }
  const bounds = { min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 };
  return { speaker, conversation, after: numberQuery(after, "after", bounds), isBrief };
}

/** The brief view leaves out the events of received envelopes, which follow as entries of their own. */
function isBriefIn(view: string | undefined): boolean {
  if (view === undefined || view === "brief") return view === "brief";
  throw new Problem("bad-request", { detail: "`view` must be `brief` or absent" });
}
