import { expect, test } from "vitest";
import { defaultStreamLimits } from "../../limits.ts";
import { operator, type Principal } from "../../ports/principal.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createTickets } from "./tickets.ts";

const ann = "tag:people.example,2026:ann";
const bob = "tag:people.example,2026:bob";
const both: Principal = { id: "key:1", kind: "person", speakers: [ann, bob], scopes: ["host"] };
const refused = expect.objectContaining({ code: "unauthorized" });

function issuing(limits = {}) {
  const clock = createFakeClock();
  return { clock, tickets: createTickets({ ...defaultStreamLimits, ...limits }, clock) };
}

test("a ticket is redeemed once", () => {
  const { tickets } = issuing();
  const [first, second] = [tickets.issue(both, ann), tickets.issue(both, bob)];
  expect(tickets.redeem(first.ticket)).toEqual({ ...both, speakers: [ann] });
  expect(() => tickets.redeem(first.ticket)).toThrow(refused);
  expect(tickets.redeem(second.ticket)).toEqual({ ...both, speakers: [bob] });
  expect(() => tickets.redeem("made-up")).toThrow(refused);
});

test("a ticket expires after 30 seconds, as `expiresAt` says", async () => {
  const { clock, tickets } = issuing();
  const [early, late] = [tickets.issue(both, ann), tickets.issue(both, ann)];
  expect(Date.parse(early.expiresAt)).toBe(clock.now() + 30_000);
  await clock.advance(29_999);
  expect(tickets.redeem(early.ticket).speakers).toEqual([ann]);
  await clock.advance(1);
  expect(() => tickets.redeem(late.ticket)).toThrow(refused);
});

test("a ticket is for a speaker of its credential; the operator's ticket for a person has no operator rights", () => {
  const { tickets } = issuing();
  const other = "tag:people.example,2026:eve";
  expect(() => tickets.issue(both, other)).toThrow(expect.objectContaining({ code: "forbidden-speaker" }));
  expect(tickets.redeem(tickets.issue(both, undefined).ticket)).toEqual(both);
  expect(tickets.redeem(tickets.issue(operator, undefined).ticket)).toEqual(operator);
  expect(tickets.redeem(tickets.issue(operator, other).ticket)).toMatchObject({
    id: `operator as ${other}`,
    kind: "person",
    speakers: [other],
  });
});

test("the number of unused tickets is limited, and expired ones do not count", async () => {
  const { clock, tickets } = issuing({ ticketsMax: 2 });
  tickets.issue(both, ann);
  await clock.advance(10_000);
  const second = tickets.issue(both, ann);
  expect(() => tickets.issue(both, ann)).toThrow(expect.objectContaining({ code: "busy" }));
  await clock.advance(20_000);
  tickets.issue(both, ann);
  expect(() => tickets.issue(both, ann)).toThrow(expect.objectContaining({ code: "busy" }));
  expect(tickets.redeem(second.ticket).speakers).toEqual([ann]);
});
