import { seatNamed } from "@plenary/floor";
import { type ChatMessage, textOfParts } from "@plenary/nemo";
import { type DialogEvent, invite } from "@plenary/protocol";
import type {
  AccessContext,
  AgentsContext,
  ConversationContext,
  FloorContext,
  ProcessContext,
  ReceivingContext,
  ServerContext,
  StorageContext,
} from "../context.ts";
import { jsonTextOf } from "../conversation/decode.ts";
import { personOf } from "../conversation/new-conversation.ts";
import { Problem } from "../errors.ts";
import { timeOf } from "../ports/clock.ts";
import { assertConversation, mayHost } from "../ports/principal.ts";
import type { Viewers } from "../streams/viewers.ts";
import { isTaken, unknownConversation } from "./error-text.ts";
import type { JoinRequest, NemoPerson, OutputSink } from "./participant.ts";
import { createParticipant, follow, type NemoParticipant } from "./send-message.ts";
import type { NemoSession } from "./session.ts";
import { createNemoSessions } from "./sessions.ts";
import { envelopeText } from "./utterance.ts";

export type NemoParticipants = ReturnType<typeof createNemoParticipants>;

export function createNemoParticipants(server: ServerContext, viewers: Viewers) {
  const sessions = createNemoSessions(server, viewers);
  const attach = (
    session: NemoSession,
    person: NemoPerson,
    sink: OutputSink,
    how: Parameters<NemoSession["attach"]>[1],
  ) => {
    // A closed connection does not replace a newer client.
    const isLate = sink.isClosed?.() === true && session.hasClient();
    if (!isLate) session.attach(sink, how);
    return createParticipant({ server, session, person, sink });
  };
  return {
    /** Joins the conversation, or opens it if the id is unknown. Throws the problem. */
    async join(person: NemoPerson, joinRequest: JoinRequest, sink: OutputSink): Promise<NemoParticipant> {
      const { conversationId } = joinRequest;
      assertOwn(person, conversationId);
      const inviteTurn = await openOrFind(server, person, joinRequest);
      await renamePerson(server, person, conversationId);
      const session = await sessions.sessionOf(person, joinRequest);
      session.inviteTurn ??= inviteTurn;
      return attach(session, person, sink, { isResuming: false, parentId: joinRequest.messageId });
    },
    /** Joins again after a disconnect; undefined when this person has no seat there. Opens no conversation. */
    async resume(person: NemoPerson, joinRequest: JoinRequest, sink: OutputSink): Promise<NemoParticipant | undefined> {
      const { conversations } = person.principal;
      if (conversations !== undefined && !conversations.includes(joinRequest.conversationId)) return undefined;
      const floor = await server.log.load(joinRequest.conversationId);
      if (floor === undefined || seatNamed(floor, person.speakerUri) === undefined) return undefined;
      const session = await sessions.sessionOf(person, joinRequest);
      const participant = attach(session, person, sink, { isResuming: true });
      const { renderer } = session;
      const nowMs = server.clock.now();
      session.send([...renderer.tick(nowMs), ...renderer.repeatPrompt(nowMs)]);
      follow(server, session);
      return participant;
    },
    close: sessions.close,
  };
}

function assertOwn({ principal }: NemoPerson, conversationId: string): void {
  try {
    assertConversation(principal, conversationId);
  } catch {
    throw unknownConversation();
  }
}

/** Opens an unknown conversation, and checks the person's seat. Returns the turn of the invites of a new conversation. */
async function openOrFind(
  server: ConversationContext & AgentsContext & AccessContext,
  person: NemoPerson,
  joinRequest: JoinRequest,
): Promise<string | undefined> {
  const known = await server.log.load(joinRequest.conversationId);
  const inviteTurn = known === undefined ? await beginConversation(server, person, joinRequest) : undefined;
  const floor = known ?? (await server.log.load(joinRequest.conversationId));
  if (floor === undefined || seatNamed(floor, person.speakerUri) === undefined) throw unknownConversation();
  if (floor.isClosed) {
    throw new Problem("refused", { detail: "this conversation is over", fix: "begin another one", status: 409 });
  }
  return inviteTurn;
}

/** Sets the name that the client gives for its person. */
async function renamePerson(
  { log, receiver }: StorageContext & ReceivingContext,
  { speakerUri, name }: NemoPerson,
  id: string,
): Promise<void> {
  const floor = await log.load(id);
  const identification = floor && seatNamed(floor, speakerUri)?.identification;
  if (name === undefined || identification === undefined || identification.conversationalName === name) return;
  const called = { ...identification, conversationalName: name };
  await receiver.command(id, { verb: "identify", speakerUri: identification.speakerUri, identification: called });
}

/** Opens a conversation with this person as owner, and invites agents. Returns the turn of the invites, if any. */
async function beginConversation(
  server: ProcessContext & FloorContext & ReceivingContext & AgentsContext & AccessContext,
  { principal, speakerUri, name = "Guest" }: NemoPerson,
  { conversationId, agents, history = [], isBrief = false }: JoinRequest,
): Promise<string | undefined> {
  if (!mayHost(principal) || principal.conversations !== undefined) throw unknownConversation();
  await server.access.admitOpening(principal, { isBrief });
  const self = server.self;
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
  const urls = agents ?? server.hosted.invitedByDefault;
  const events = urls.map((serviceUrl) =>
    invite({ to: { serviceUrl }, ...(dialogHistory.length > 0 && { dialogHistory }) }),
  );
  if (events.length === 0) return undefined;
  const { entries } = await server.receiver.envelope({
    document: jsonTextOf(envelopeText(conversationId, speakerUri, events)),
    principal,
  });
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
