import type { ConversationView } from "./contract.ts";
import type { Http } from "./http.ts";
import { Unreachable } from "./problem.ts";

/** The state of a conversation now. */
export async function readView(
  { http, speakerUri: speaker }: { http: Http; speakerUri: string },
  id: string,
  signal?: AbortSignal,
): Promise<ConversationView> {
  const view = await http.json<ConversationView>("GET", pathOf(id), { query: { speaker }, signal });
  if (!Array.isArray(view.conversants) || !Number.isSafeInteger(view.seq)) throw unusable(http, "view");
  return view;
}

export const pathOf = (id: string) => `/api/v1/conversations/${encodeURIComponent(id)}`;

export const unusable = ({ url }: Http, what: string) =>
  new Unreachable(url, `the answer is no ${what} of a conversation`);
