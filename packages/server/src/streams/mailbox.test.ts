import { expect, test } from "vitest";
import { defaultStreamLimits } from "../limits.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createMailbox } from "./mailbox.ts";

type Limits = Parameters<typeof createMailbox>[0];

function openMailbox(limits: Partial<Limits> = {}) {
  return createMailbox({ ...defaultStreamLimits, ...limits }, createFakeClock());
}

const person = (index: number) => `tag:floor.example,2026:${index}`;
const large = "x".repeat(900_000);
const mebibyte = 1_048_576;

/** Stored bytes for these people. */
function bytesIn(mailbox: ReturnType<typeof openMailbox>, people: readonly string[]): number {
  const posted = people.flatMap((speaker) => mailbox.since(speaker, 0));
  return posted.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

/** An envelope that is too large to be stored is gone by then. */
const afterwards = () => new Promise<void>((resolve) => setImmediate(resolve));

function textsOf(mailbox: ReturnType<typeof openMailbox>, speaker: string): string[] {
  return mailbox.since(speaker, 0).map(({ bytes }) => (JSON.parse(String(bytes)) as { text: string }).text);
}

test("of 120 large envelopes for one person, the newest are stored up to the limit of a mailbox", async () => {
  const mailbox = openMailbox();
  for (let turn = 0; turn < 120; turn += 1) mailbox.put(person(1), { turn, text: large });
  await afterwards();
  expect(bytesIn(mailbox, [person(1)])).toBeLessThanOrEqual(mebibyte);
  expect(mailbox.since(person(1), 0).map(({ bytes }) => String(bytes).slice(0, 11))).toEqual(['{"turn":119']);
});

test("of 120 large envelopes for 120 people, the newest are stored up to the total limit", async () => {
  const mailbox = openMailbox();
  const people = Array.from({ length: 120 }, (_, index) => person(index));
  for (const speaker of people) mailbox.put(speaker, { text: large });
  await afterwards();
  expect(bytesIn(mailbox, people)).toBeLessThanOrEqual(64 * mebibyte);
  expect(mailbox.since(person(119), 0)).toHaveLength(1);
});

test("many full mailboxes remove nothing from a mailbox that holds little", async () => {
  const mailbox = openMailbox({ mailboxBytesMax: 1_000, mailboxesBytesMax: 3_000 });
  mailbox.put(person(0), { text: "a word" });
  for (let turn = 0; turn < 100; turn += 1) mailbox.put(person(1 + (turn % 10)), { text: "x".repeat(400) });
  await afterwards();
  expect(textsOf(mailbox, person(0))).toEqual(["a word"]);
});

test("an envelope larger than a mailbox is shown only to connected viewers, and removes no other", async () => {
  const mailbox = openMailbox({ mailboxBytesMax: 1_000 });
  const first = mailbox.put(person(1), { text: "a word" });
  const second = mailbox.put(person(1), { text: large });
  expect(mailbox.since(person(1), first.number)).toEqual([second]);
  expect(mailbox.since(person(2), 0)).toEqual([]);
  await afterwards();
  expect(textsOf(mailbox, person(1))).toEqual(["a word"]);
});

test("the newest envelopes of a person are stored, for a limited number of people", async () => {
  const mailbox = openMailbox({ mailboxMax: 2, mailboxesMax: 2 });
  for (const text of ["one", "two", "three"]) mailbox.put(person(1), { text });
  expect(textsOf(mailbox, person(1))).toEqual(["two", "three"]);
  mailbox.put(person(2), { text: "four" });
  mailbox.put(person(3), { text: "five" });
  expect([1, 2, 3].map((index) => textsOf(mailbox, person(index)))).toEqual([[], ["four"], ["five"]]);
});
