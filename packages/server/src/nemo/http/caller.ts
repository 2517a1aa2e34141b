import type { Context } from "hono";
import { Problem } from "../../errors.ts";
import { addressIn } from "../../routing/guards.ts";
import type { Env } from "../../routing/hono-env.ts";
import { type NemoIdentity, tokenIn } from "../client-identity.ts";
import type { NemoPerson } from "../participant.ts";
import { type NemoQuery, readNemoQuery } from "../query.ts";

/** The person of a request, and the query of its client. */
export type HttpCaller = {
  person: NemoPerson;
  /** Further requests of this caller are of the same person. */
  isNamed: boolean;
  /** Identified by a credential, a key or a session; the id of a conversation is not enough. */
  isProven: boolean;
  query: NemoQuery;
  /** The same person; an unproven caller is the guest of this conversation. */
  personAt(conversationId: string): NemoPerson;
};

export type CallerOf = (c: Context<Env>) => Promise<HttpCaller>;

/** Throws the problem: the floor needs a credential, and the request has none. */
export function createCallerOf(identity: NemoIdentity): CallerOf {
  return async (c) => {
    const { headers, url } = c.req.raw;
    const query = readNemoQuery(new URL(url).searchParams, headers);
    const { speaker } = query;
    const session = query.session ?? sessionIn(headers);
    const person = await identity.personOf({
      headers,
      address: addressIn(c),
      takesAnyKey: true,
      ...(session !== undefined && { session }),
      ...(speaker !== undefined && { speaker }),
    });
    if (person === undefined) throw new Problem("unauthorized");
    // Requests that wait for a turn have their own limit.
    c.env?.onWait?.();
    // A guest without a session or a key is a new person for each request.
    const isGuest = person.principal.id === person.speakerUri && tokenIn(headers) === undefined;
    const isProven = query.session !== undefined || !isGuest;
    const personAt = (id: string) => (isProven ? person : identity.guestOf(guestOfConversation(id)));
    return { person, isNamed: session !== undefined || isProven, isProven, query, personAt };
  };
}

/** A local caller without a credential is the guest of the conversation that it names. No other session has this form. */
function sessionIn(headers: Headers): string | undefined {
  const conversationId = headers.get("conversation-id");
  return tokenIn(headers) !== undefined || conversationId === null ? undefined : guestOfConversation(conversationId);
}

function guestOfConversation(id: string): string {
  return `conversation:${id}`;
}
