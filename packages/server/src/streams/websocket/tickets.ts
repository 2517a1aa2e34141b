import { randomBytes } from "node:crypto";
import { Problem } from "../../errors.ts";
import type { StreamLimits } from "../../limits.ts";
import type { Clock } from "../../ports/clock.ts";
import { timeOf } from "../../ports/clock.ts";
import { assertSpeaker, isOperator, type Principal } from "../../ports/principal.ts";

/** For browsers, which can send no header when they open a socket: used once, soon, in place of a token (D33). */
export type Tickets = {
  issue(principal: Principal, speaker: string | undefined): { ticket: string; expiresAt: string };
  /** Throws the problem `unauthorized`, also the second time. */
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
      if (tickets.size >= limits.ticketsMax) throw new Problem("busy", { detail: "too many tickets are out" });
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

/** Its bearer is that one person, not the operator speaking for it. */
function boundTo(speaker: string, principal: Principal): Principal {
  if (!isOperator(principal)) return { ...principal, speakers: [speaker] };
  return { ...principal, id: `operator as ${speaker}`, kind: "person", speakers: [speaker] };
}
