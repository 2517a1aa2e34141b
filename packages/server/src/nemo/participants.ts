import { seatNamed } from "@plenary/floor";
import type { ServerContext } from "../context.ts";
import { Problem } from "../errors.ts";
import { assertConversation } from "../ports/principal.ts";
import type { Viewers } from "../streams/viewers.ts";
import type { JoinRequest, NemoParticipants, NemoPerson, OutputSink } from "./participant.ts";
import { createParticipant, follow } from "./send-message.ts";
import type { NemoSession } from "./session.ts";
import { createNemoSessions } from "./sessions.ts";
import { beginConversation, notYours } from "./start-conversation.ts";

type ParticipantsContext = { server: ServerContext; viewers: Viewers };

export function createNemoParticipants(context: ParticipantsContext): NemoParticipants {
  const { server } = context;
  const sessions = createNemoSessions(context);
  const sit = (session: NemoSession, person: NemoPerson, sink: OutputSink, how: Parameters<NemoSession["hear"]>[1]) => {
    // Nobody takes the place of a newer client for one that is gone.
    const isLate = sink.isGone?.() === true && session.isHeard();
    if (!isLate) session.hear(sink, how);
    return createParticipant({ server, session, person, sink });
  };
  return {
    async take(person, joinRequest, sink) {
      const { conversationId } = joinRequest;
      assertOwn(person, conversationId);
      const arrival = await enter(server, person, joinRequest);
      await call(server, person, conversationId);
      const session = await sessions.sessionOf(person, joinRequest);
      session.arrival ??= arrival;
      return sit(session, person, sink, { isBack: false, parentId: joinRequest.messageId });
    },
    async resume(person, joinRequest, sink) {
      const { conversations } = person.principal;
      if (conversations !== undefined && !conversations.includes(joinRequest.conversationId)) return undefined;
      const floor = await server.store.load(joinRequest.conversationId);
      if (floor === undefined || seatNamed(floor, person.speakerUri) === undefined) return undefined;
      const session = await sessions.sessionOf(person, joinRequest);
      const participant = sit(session, person, sink, { isBack: true });
      const { renderer } = session;
      const nowMs = server.clock.now();
      session.tell([...renderer.tick(nowMs), ...renderer.resumed(nowMs)]);
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
    throw notYours();
  }
}

/** The turn in which others come, when it begins with this. */
async function enter(server: ServerContext, person: NemoPerson, joinRequest: JoinRequest): Promise<string | undefined> {
  const known = await server.store.load(joinRequest.conversationId);
  const arrival = known === undefined ? await beginConversation(server, person, joinRequest) : undefined;
  const floor = known ?? (await server.store.load(joinRequest.conversationId));
  if (floor === undefined || seatNamed(floor, person.speakerUri) === undefined) throw notYours();
  if (floor.isClosed) {
    throw new Problem("refused", { detail: "this conversation is over", fix: "begin another one", status: 409 });
  }
  return arrival;
}

/** What a person calls itself, everybody calls it. */
async function call({ store, receiver }: ServerContext, { speakerUri, name }: NemoPerson, id: string): Promise<void> {
  const floor = await store.load(id);
  const identification = floor && seatNamed(floor, speakerUri)?.identification;
  if (name === undefined || identification === undefined || identification.conversationalName === name) return;
  const called = { ...identification, conversationalName: name };
  await receiver.command(id, { verb: "identify", speakerUri: identification.speakerUri, identification: called });
}
