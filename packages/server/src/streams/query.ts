import type { RouteQuery } from "@plenary/api";
import { assertConversation, assertSpeaker, type Principal } from "../ports/principal.ts";
import { invalidParameter, numberQuery, queryIn, type StreamRoute } from "../routing/fields.ts";
import { type Cursor, parseCursor } from "./cursor.ts";

/** One conversation after an entry, as events or in the brief view, or all conversations of a speaker after a cursor. */
export type ViewerRequest = { speaker: string } & (
  | { conversation: string; after: number; isBrief: boolean }
  | { cursor: Cursor }
);

type StreamQuery = RouteQuery<"GET /openfloor/ws">;

/** The query parameters of a stream that this caller may open. */
export function streamQueryIn(route: StreamRoute, params: URLSearchParams, principal: Principal): StreamQuery {
  const query: StreamQuery = queryIn(route, params);
  assertSpeaker(principal, query.speaker);
  return query;
}

/** The stream starts after `lastEventId` or `after`; without both, at the beginning of the log. */
export function viewerRequestOf(query: StreamQuery, principal: Principal, lastEventId?: string): ViewerRequest {
  const [only] = principal.conversations ?? [];
  const { speaker, view, conversation = only } = query;
  if (conversation !== undefined) assertConversation(principal, conversation);
  const after = lastEventId ?? query.after;
  if (conversation !== undefined) {
    const bounds = { min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 };
    // The brief view leaves out the events of received envelopes, which follow as entries of their own.
    return { speaker, conversation, after: numberQuery(after, "after", bounds), isBrief: view === "brief" };
  }
  if (view !== undefined) throw invalidParameter("view", "it needs the parameter conversation");
  return { speaker, cursor: parseCursor(after ?? "") };
}
