import { expect, test } from "vitest";
import { operator, type Principal } from "../ports/principal.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { Identity } from "./authenticate.ts";
import { createExpiryWatch } from "./expiry-watch.ts";

const ann: Principal = { id: "key:ann", kind: "person", speakers: ["tag:ann"], scopes: [] };

function fixture() {
  const clock = createFakeClock();
  const ended = new Set<string>();
  const asked: string[] = [];
  const identity: Identity = {
    identify: async () => operator,
    async isLive({ id }) {
      asked.push(id);
      return !ended.has(id);
    },
  };
  const errors: unknown[] = [];
  return { clock, ended, asked, errors, expiry: createExpiryWatch(identity, clock, (error) => errors.push(error)) };
}

test("a stream is closed once, within 30 seconds after its credential ended", async () => {
  const { clock, ended, expiry } = fixture();
  const out: string[] = [];
  expiry.watch(ann, () => out.push("ann"));
  expiry.watch(operator, () => out.push("operator"));
  await clock.advance(60_000);
  expect(out).toEqual([]);
  ended.add(ann.id);
  await clock.advance(30_000);
  expect(out).toEqual(["ann"]);
  await clock.advance(600_000);
  expect(out).toEqual(["ann"]);
});

test("a closed stream is not checked, and without streams there is no timer", async () => {
  const { clock, asked, expiry } = fixture();
  const leave = expiry.watch(ann, () => {});
  leave();
  await clock.advance(60_000);
  expect([asked, clock.pending()]).toEqual([[], 0]);
  expiry.watch(ann, () => {});
  await clock.advance(60_000);
  expect(asked.length).toBeGreaterThan(0);
  expiry.close();
  const before = asked.length;
  await clock.advance(600_000);
  expect(asked.length).toBe(before);
});

test("when the check fails, no stream is closed, and the check is repeated", async () => {
  const clock = createFakeClock();
  const errors: unknown[] = [];
  let isBroken = true;
  const isLive = async () => {
    if (isBroken) throw new Error("the store is away");
    return false;
  };
  const expiry = createExpiryWatch({ identify: async () => operator, isLive }, clock, (error) => errors.push(error));
  const out: string[] = [];
  expiry.watch(ann, () => out.push("ann"));
  await clock.advance(60_000);
  expect([out, errors.length > 0]).toEqual([[], true]);
  isBroken = false;
  await clock.advance(60_000);
  expect(out).toEqual(["ann"]);
});

test("closing during a check closes no stream and stops the checks", async () => {
  const clock = createFakeClock();
  let answer: (isLive: boolean) => void = () => {};
  const isLive = () => new Promise<boolean>((resolve) => (answer = resolve));
  const expiry = createExpiryWatch({ identify: async () => operator, isLive }, clock, () => {});
  const out: string[] = [];
  expiry.watch(ann, () => out.push("ann"));
  await clock.advance(30_000);
  expiry.close();
  answer(false);
  await clock.advance(60_000);
  expect([out, clock.pending()]).toEqual([[], 0]);
});
