import { type ChatMessage, textOfParts } from "@plenary/nemo";
import { type DialogEvent, invite } from "@plenary/protocol";
import type { ServerContext } from "../context.ts";
import { personOf } from "../conversation/new-conversation.ts";
import { Problem } from "../errors.ts";
import { timeOf } from "../ports/clock.ts";
import { mayHost } from "../ports/principal.ts";
import { isTaken } from "./error-text.ts";
import type { JoinRequest, NemoPerson } from "./participant.ts";
import { envelopeText } from "./utterance.ts";

/** The same text for unknown and foreign conversations, so that it does not reveal which ids exist. */
export function unknownConversation(): Problem {
  const fix = "begin one of your own under another conversation_id";
  return new Problem("unknown-conversation", { detail: "this conversation is unknown, or not yours", fix });
}

/** Opens a conversation with this person as owner, and invites agents. Returns the turn of the invites, if any. */
export async function beginConversation(
  server: ServerContext,
  { principal, speakerUri, name = "Guest" }: NemoPerson,
  { conversationId, agents, history = [], isBrief = false }: JoinRequest,
): Promise<string | undefined> {
  if (!mayHost(principal) || principal.conversations !== undefined) throw unknownConversation();
  await server.access.admitOpening(principal, { isBrief });
  const self = server.self();
  const owner = personOf({ speakerUri, conversationalName: name }, self);
  try {
    const command = { verb: "open", self, owner, options: server.floorOptions } as const;
    await server.receiver.command(conversationId, command, { by: { by: "owner", speakerUri } });
  } catch (error) {
    // Two sockets of one person may open it at once. The caller checks the seat, which another person does not have.
    if (isTaken(error)) return undefined;
    throw error;
  }
  const dialogHistory = historyOf(history, { person: speakerUri, others: self.speakerUri }, timeOf(server.clock));
  const urls = agents ?? server.hosted.invitedByDefault();
  const events = urls.map((serviceUrl) =>
    invite({ to: { serviceUrl }, ...(dialogHistory.length > 0 && { dialogHistory }) }),
  );
  if (events.length === 0) return undefined;
  const { entries } = await server.receiver.envelope(envelopeText(conversationId, speakerUri, events), { principal });
  return entries.find(({ kind }) => kind === "received")?.turn;
}

/** Agents get at most this much of the history that a client sends. */
const historyMax = 20;
const textMax = 4_000;

function historyOf(
  messages: readonly ChatMessage[],
  { person, others }: { person: string; others: string },
  startTime: string,
): DialogEvent[] {
  return messages
    .map(({ role, parts }) => ({
      speakerUri: role === "user" ? person : others,
      text: textOfParts(parts).slice(0, textMax),
    }))
    .filter(({ text }) => text.trim() !== "")
    .slice(-historyMax)
    .map(({ speakerUri, text }, index) => ({
      id: `earlier-${index + 1}`,
      speakerUri,
      span: { startTime },
      features: { text: { mimeType: "text/plain", tokens: [{ value: text }] } },
    }));
}
