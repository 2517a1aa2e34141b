import { seatNamed } from "@plenary/floor";
import type { Running } from "../context.ts";
import { Problem } from "../errors.ts";
import { assertConversation } from "../ports/principal.ts";
import type { Viewers } from "../streams/viewers.ts";
import type { NemoPerson, NemoSeats, Outlet, SeatWish } from "./participant.ts";
import { follow, takeSeat } from "./send-message.ts";
import type { Sitting } from "./session.ts";
import { createHall } from "./sessions.ts";
import { beginConversation, notYours } from "./start-conversation.ts";

type Desk = { running: Running; viewers: Viewers };

export function createNemoSeats(desk: Desk): NemoSeats {
  const { running } = desk;
  const hall = createHall(desk);
  const sit = (sitting: Sitting, person: NemoPerson, outlet: Outlet, how: Parameters<Sitting["hear"]>[1]) => {
    // Nobody takes the place of a newer client for one that is gone.
    const isLate = outlet.isGone?.() === true && sitting.isHeard();
    if (!isLate) sitting.hear(outlet, how);
    return takeSeat({ running, sitting, person, outlet });
  };
  return {
    async take(person, wish, outlet) {
      const { conversationId } = wish;
      assertOwn(person, conversationId);
      const arrival = await enter(running, person, wish);
      await call(running, person, conversationId);
      const sitting = await hall.sittingOf(person, wish);
      sitting.arrival ??= arrival;
      return sit(sitting, person, outlet, { isBack: false, parentId: wish.messageId });
    },
    async resume(person, wish, outlet) {
      const { conversations } = person.principal;
      if (conversations !== undefined && !conversations.includes(wish.conversationId)) return undefined;
      const floor = await running.store.load(wish.conversationId);
      if (floor === undefined || seatNamed(floor, person.speakerUri) === undefined) return undefined;
      const sitting = await hall.sittingOf(person, wish);
      const seat = sit(sitting, person, outlet, { isBack: true });
      const { narrator } = sitting;
      const nowMs = running.clock.now();
      sitting.tell([...narrator.tick(nowMs), ...narrator.resumed(nowMs)]);
      follow(running, sitting);
      return seat;
    },
    close: hall.close,
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
async function enter(running: Running, person: NemoPerson, wish: SeatWish): Promise<string | undefined> {
  const known = await running.store.load(wish.conversationId);
  const arrival = known === undefined ? await beginConversation(running, person, wish) : undefined;
  const floor = known ?? (await running.store.load(wish.conversationId));
  if (floor === undefined || seatNamed(floor, person.speakerUri) === undefined) throw notYours();
  if (floor.isClosed) {
    throw new Problem("refused", { detail: "this conversation is over", fix: "begin another one", status: 409 });
  }
  return arrival;
}

/** What a person calls itself, everybody calls it. */
async function call({ store, receiver }: Running, { speakerUri, name }: NemoPerson, id: string): Promise<void> {
  const floor = await store.load(id);
  const identification = floor && seatNamed(floor, speakerUri)?.identification;
  if (name === undefined || identification === undefined || identification.conversationalName === name) return;
  const called = { ...identification, conversationalName: name };
  await receiver.command(id, { verb: "identify", speakerUri: identification.speakerUri, identification: called });
}
