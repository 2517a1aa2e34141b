import { expect, test } from "vitest";
import { operator, type Principal } from "../ports/principal.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { Identity } from "./authenticate.ts";
import { createVigil } from "./expiry-watch.ts";

const ann: Principal = { id: "key:ann", kind: "person", speakers: ["tag:ann"], scopes: [] };

function scene() {
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
  return { clock, ended, asked, errors, vigil: createVigil(identity, clock, (error) => errors.push(error)) };
}

test("whoever's credential has ended is shown out within 30 seconds, once", async () => {
  const { clock, ended, vigil } = scene();
  const out: string[] = [];
  vigil.keep(ann, () => out.push("ann"));
  vigil.keep(operator, () => out.push("operator"));
  await clock.advance(60_000);
  expect(out).toEqual([]);
  ended.add(ann.id);
  await clock.advance(30_000);
  expect(out).toEqual(["ann"]);
  await clock.advance(600_000);
  expect(out).toEqual(["ann"]);
});

test("whoever has gone is not looked after, and with nobody there nothing ticks", async () => {
  const { clock, asked, vigil } = scene();
  const leave = vigil.keep(ann, () => {});
  leave();
  await clock.advance(60_000);
  expect([asked, clock.pending()]).toEqual([[], 0]);
  vigil.keep(ann, () => {});
  await clock.advance(60_000);
  expect(asked.length).toBeGreaterThan(0);
  vigil.close();
  const before = asked.length;
  await clock.advance(600_000);
  expect(asked.length).toBe(before);
});

test("when it cannot be told, nobody is shown out, and it is asked again", async () => {
  const clock = createFakeClock();
  const errors: unknown[] = [];
  let isBroken = true;
  const isLive = async () => {
    if (isBroken) throw new Error("the store is away");
    return false;
  };
  const vigil = createVigil({ identify: async () => operator, isLive }, clock, (error) => errors.push(error));
  const out: string[] = [];
  vigil.keep(ann, () => out.push("ann"));
  await clock.advance(60_000);
  expect([out, errors.length > 0]).toEqual([[], true]);
  isBroken = false;
  await clock.advance(60_000);
  expect(out).toEqual(["ann"]);
});

test("closed while it looks, it ends nobody's stream and does not look again", async () => {
  const clock = createFakeClock();
  let answer: (isLive: boolean) => void = () => {};
  const isLive = () => new Promise<boolean>((resolve) => (answer = resolve));
  const vigil = createVigil({ identify: async () => operator, isLive }, clock, () => {});
  const out: string[] = [];
  vigil.keep(ann, () => out.push("ann"));
  await clock.advance(30_000);
  vigil.close();
  answer(false);
  await clock.advance(60_000);
  expect([out, clock.pending()]).toEqual([[], 0]);
});
