import type { Client } from "../api/client.ts";
import { envelopeOf } from "../api/envelopes.ts";
import type { Session } from "../api/session.ts";
import type { ConversationView, FloorEvent } from "../api/types.ts";

/**
 * The first conversation of a new person, with the agents of this floor. Requests from two tabs create one
 * conversation.
 */
export async function openWelcomeConversation(client: Client, { speakerUri, name }: Session): Promise<string> {
  const owner = { identification: { speakerUri, ...(name && { conversationalName: name }) } };
  const { invitedByDefault } = await client.get<{ invitedByDefault: string[] }>("/api/v1/agents");
  const { id, conversation } = await client.post<{ id: string; conversation: ConversationView }>(
    "/api/v1/conversations",
    { owner, title: "Welcome" },
    { "idempotency-key": `welcome ${speakerUri}` },
  );
  const invites = invitedByDefault.map((serviceUrl): FloorEvent => ({ eventType: "invite", to: { serviceUrl } }));
  const isNew = conversation.conversants.length === 1;
  if (isNew && invites.length > 0) await client.post("/openfloor", envelopeOf(id, speakerUri, invites));
  return id;
}
