import type { Context } from "hono";
import { Problem } from "../../errors.ts";
import { addressIn } from "../../routing/guards.ts";
import type { Env } from "../../routing/hono-env.ts";
import { type NemoIdentity, tokenIn } from "../client-identity.ts";
import type { NemoPerson } from "../participant.ts";
import { type NemoQuery, readNemoQuery } from "../query.ts";

/** Who sends a request of a NeMo client, and what its query says. */
export type HttpCaller = {
  person: NemoPerson;
  /** Somebody who comes again is known again. */
  isNamed: boolean;
  /** By a credential, a key or a session. The id of a conversation is no proof. */
  isProven: boolean;
  query: NemoQuery;
  /** The same person; a caller without proof is the guest of this conversation. */
  personAt(conversationId: string): NemoPerson;
};

export type CallerOf = (c: Context<Env>) => Promise<HttpCaller>;

/** Throws the problem: nobody may come in here without a credential, and this one has none. */
export function createCallerOf(identity: NemoIdentity): CallerOf {
  return async (c) => {
    const { headers, url } = c.req.raw;
    const query = readNemoQuery(new URL(url).searchParams, headers);
    const { speaker } = query;
    const session = query.session ?? sessionIn(headers);
    const person = await identity.personOf({
      ...{ headers, address: addressIn(c), takesAnyKey: true },
      ...(session !== undefined && { session }),
      ...(speaker !== undefined && { speaker }),
    });
    if (person === undefined) throw new Problem("unauthorized");
    // Turns take their time, and those that wait for one have a bound of their own.
    c.env?.onWait?.();
    // A guest without a session or a key is somebody new each time; everybody else comes with a credential.
    const isGuest = person.principal.id === person.speakerUri && tokenIn(headers) === undefined;
    const isProven = query.session !== undefined || !isGuest;
    const personAt = (id: string) => (isProven ? person : identity.guestOf(guestOfConversation(id)));
    return { person, isNamed: session !== undefined || isProven, isProven, query, personAt };
  };
}

/** On this machine a caller without proof is the guest of the conversation that it names. No other session has this form. */
function sessionIn(headers: Headers): string | undefined {
  const conversationId = headers.get("conversation-id");
  return tokenIn(headers) !== undefined || conversationId === null ? undefined : guestOfConversation(conversationId);
}

function guestOfConversation(id: string): string {
  return `conversation:${id}`;
}
