import { randomBytes } from "node:crypto";
import { Problem } from "../../errors.ts";
import type { StreamLimits } from "../../limits.ts";
import { type Clock, timeOf } from "../../ports/clock.ts";
import { assertSpeaker, isOperator, type Principal } from "../../ports/principal.ts";

/** Short-lived single-use tokens for browsers, which cannot send headers when they open a socket (D33). */
export type Tickets = {
  issue(principal: Principal, speaker: string | undefined): { ticket: string; expiresAt: string };
  /** Throws the problem `unauthorized` for an unknown, used or expired ticket. */
  redeem(ticket: string): Principal;
};

export function createTickets(limits: StreamLimits, clock: Clock): Tickets {
  const tickets = new Map<string, { principal: Principal; untilMs: number }>();
  const dropOld = () => {
    for (const [ticket, { untilMs }] of tickets) {
      if (untilMs > clock.now()) return;
      tickets.delete(ticket);
    }
  };
  return {
    issue(principal, speaker) {
      if (speaker !== undefined) assertSpeaker(principal, speaker);
      dropOld();
      if (tickets.size >= limits.ticketsMax) throw new Problem("busy", { detail: "too many tickets are unused" });
      const ticket = randomBytes(32).toString("base64url");
      const untilMs = clock.now() + limits.ticketMs;
      tickets.set(ticket, { principal: speaker === undefined ? principal : boundTo(speaker, principal), untilMs });
      return { ticket, expiresAt: timeOf({ ...clock, now: () => untilMs }) };
    },
    redeem(ticket) {
      const found = tickets.get(ticket);
      tickets.delete(ticket);
      if (found !== undefined && found.untilMs > clock.now()) return found.principal;
      const fix = "get a new one with POST /api/v1/tickets";
      throw new Problem("unauthorized", { detail: "the ticket is unknown, used or too old", fix });
    },
  };
}

/** The principal for one speaker only. The operator as a person has no operator rights. */
export function boundTo(speaker: string, principal: Principal): Principal {
  if (!isOperator(principal)) return { ...principal, speakers: [speaker] };
  return { ...principal, id: `operator as ${speaker}`, kind: "person", speakers: [speaker] };
}
