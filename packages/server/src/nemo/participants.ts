import { seatNamed } from "@plenary/floor";
import type { ServerContext } from "../context.ts";
import { Problem } from "../errors.ts";
import { assertConversation } from "../ports/principal.ts";
import type { Viewers } from "../streams/viewers.ts";
import type { JoinRequest, NemoParticipants, NemoPerson, OutputSink } from "./participant.ts";
import { createParticipant, follow } from "./send-message.ts";
import type { NemoSession } from "./session.ts";
import { createNemoSessions } from "./sessions.ts";
import { beginConversation, unknownConversation } from "./start-conversation.ts";

type ParticipantsContext = { server: ServerContext; viewers: Viewers };

export function createNemoParticipants(context: ParticipantsContext): NemoParticipants {
  const { server } = context;
  const sessions = createNemoSessions(context);
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
    async join(person, joinRequest, sink) {
      const { conversationId } = joinRequest;
      assertOwn(person, conversationId);
      const inviteTurn = await openOrFind(server, person, joinRequest);
      await renamePerson(server, person, conversationId);
      const session = await sessions.sessionOf(person, joinRequest);
      session.inviteTurn ??= inviteTurn;
      return attach(session, person, sink, { isResuming: false, parentId: joinRequest.messageId });
    },
    async resume(person, joinRequest, sink) {
      const { conversations } = person.principal;
      if (conversations !== undefined && !conversations.includes(joinRequest.conversationId)) return undefined;
      const floor = await server.store.load(joinRequest.conversationId);
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
  server: ServerContext,
  person: NemoPerson,
  joinRequest: JoinRequest,
): Promise<string | undefined> {
  const known = await server.store.load(joinRequest.conversationId);
  const inviteTurn = known === undefined ? await beginConversation(server, person, joinRequest) : undefined;
  const floor = known ?? (await server.store.load(joinRequest.conversationId));
  if (floor === undefined || seatNamed(floor, person.speakerUri) === undefined) throw unknownConversation();
  if (floor.isClosed) {
    throw new Problem("refused", { detail: "this conversation is over", fix: "begin another one", status: 409 });
  }
  return inviteTurn;
}

/** Sets the name that the client gives for its person. */
async function renamePerson(
  { store, receiver }: ServerContext,
  { speakerUri, name }: NemoPerson,
  id: string,
): Promise<void> {
  const floor = await store.load(id);
  const identification = floor && seatNamed(floor, speakerUri)?.identification;
  if (name === undefined || identification === undefined || identification.conversationalName === name) return;
  const called = { ...identification, conversationalName: name };
  await receiver.command(id, { verb: "identify", speakerUri: identification.speakerUri, identification: called });
}
