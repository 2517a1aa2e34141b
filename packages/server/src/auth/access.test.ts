import { expect, test } from "vitest";
import { createExpectedAnswers } from "../delivery/expected-answers.ts";
import { Problem } from "../errors.ts";
import type { RateLimits } from "../limits.ts";
import { type Credential, newCredentialToken } from "../ports/credentials.ts";
import { noMetrics } from "../ports/metrics.ts";
import { operator, type Principal } from "../ports/principal.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createAccessControl } from "./access.ts";
import { createIdentity } from "./authenticate.ts";
import { createMemoryCredentials } from "./memory-credentials.ts";

const operatorToken = "the-operators-own-token";
const publicUrl = "https://floor.example";
const [here, there] = ["192.0.2.1", "192.0.2.2"];
const plenty = { perS: 1_000, burst: 1_000 };

/** Access control with high limits, except those that a test sets. */
async function fixture(limits: Partial<RateLimits & { conversationsMax: number }> = {}) {
  const clock = createFakeClock();
  const credentials = createMemoryCredentials();
  const tokenOf = async (speaker: string) => {
    const { token, ...made } = newCredentialToken("key");
    const of = { kind: "key", speakers: [speaker], scopes: [], isPerson: false } as const;
    const credential: Credential = { ...made, ...of, createdAt: new Date(clock.now()).toISOString() };
    await credentials.add(credential);
    return token;
  };
  const tokens = { ann: await tokenOf("tag:ann.example,2026:1"), bob: await tokenOf("tag:bob.example,2026:1") };
  const turnedAway: string[] = [];
  const metrics = { ...noMetrics, turnedAway: (code: string) => turnedAway.push(code) };
  const held = { conversations: 0, counts: 0 };
  const count = async () => {
    held.counts += 1;
    return held.conversations;
  };
  const identity = createIdentity({
    token: operatorToken,
    credentials,
    clock,
    sessions: { publicUrl },
    tokens: { verify: () => Promise.reject(new Problem("unavailable")) },
  });
  const rates = {
    perPrincipal: plenty,
    perAddress: plenty,
    badCredentials: plenty,
    conversations: plenty,
    hostedAgents: plenty,
    anonymousBytes: { perS: 1e9, burst: 1e9 },
  };
  const expectedAnswers = createExpectedAnswers();
  const access = createAccessControl(
    { identity, clock, metrics, log: { count }, expectedAnswers },
    { ...rates, remembered: 100, conversationsMax: 1_000, ...limits },
  );
  return { clock, tokens, turnedAway, held, access, expectedAnswers };
}

const bearer = (token: string) => new Headers({ authorization: `Bearer ${token}` });
const nothing = new Headers();
const badCookie = new Headers({ cookie: "__Host-plenary_session=made-up; plenary_session=made-up" });

/** The result of each call: `in`, or the code of the problem. */
async function outcomes(count: number, run: () => unknown): Promise<string[]> {
  const found: string[] = [];
  for (let turn = 0; turn < count; turn += 1) found.push(await outcomeOf(run));
  return found;
}

async function outcomeOf(run: () => unknown): Promise<string> {
  try {
    await run();
    return "in";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

async function retryAfterOf(run: () => unknown): Promise<number | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return (error as Problem).details.retryAfterS;
  }
}

test("requests are counted per credential, from any address", async () => {
  const { access, tokens, turnedAway } = await fixture({ perPrincipal: { perS: 0.1, burst: 2 } });
  expect(await outcomeOf(() => access.admit(bearer(tokens.ann), here))).toBe("in");
  expect(await outcomeOf(() => access.admit(bearer(tokens.ann), there))).toBe("in");
  expect(await outcomeOf(() => access.admit(bearer(tokens.ann), here))).toBe("too-often");
  expect(await outcomeOf(() => access.admit(bearer(tokens.bob), here))).toBe("in");
  expect(turnedAway).toEqual(["rate"]);
});

test("requests are counted per address, with any credential", async () => {
  const { access, tokens } = await fixture({ perAddress: { perS: 0.1, burst: 3 } });
  expect(await outcomeOf(() => access.admit(bearer(tokens.ann), here))).toBe("in");
  expect(await outcomeOf(() => access.admitAnyone(here))).toBe("in");
  expect(await outcomeOf(() => access.admit(bearer(tokens.bob), here))).toBe("in");
  expect(await outcomeOf(() => access.admit(bearer(tokens.bob), here))).toBe("too-often");
  expect(await outcomeOf(() => access.admitAnyone(here))).toBe("too-often");
  expect(await outcomeOf(() => access.admit(bearer(tokens.bob), there))).toBe("in");
});

test("all addresses of one IPv6 /64 count as one", async () => {
  const { access } = await fixture({ perAddress: { perS: 0.1, burst: 2 }, badCredentials: { perS: 0.1, burst: 1 } });
  const from = ["2001:db8:1:2::1", "2001:db8:1:2:ffff::2", "2001:db8:1:2:3:4:5:6"];
  const found: string[] = [];
  for (const address of from) found.push(await outcomeOf(() => access.admitAnyone(address)));
  expect(found).toEqual(["in", "in", "too-often"]);
  expect(await outcomeOf(() => access.admitAnyone("2001:db8:1:3::1"))).toBe("in");
  for (const address of [here, `::ffff:${here}`]) found.push(await outcomeOf(() => access.admit(bearer("x"), address)));
  expect(found.slice(3)).toEqual(["unauthorized", "too-often"]);
});

test("calls of a hosted agent are counted by address and agent", async () => {
  const { access } = await fixture({ hostedAgents: { perS: 0.1, burst: 2 } });
  const calls = await outcomes(3, () => access.admitCaller(here, "discovery"));
  expect(calls).toEqual(["in", "in", "too-often"]);
  expect(await outcomeOf(() => access.admitCaller(here, "echo"))).toBe("in");
  expect(await outcomeOf(() => access.admitCaller(there, "discovery"))).toBe("in");
  expect(await outcomeOf(() => access.admitAnyone(here))).toBe("in");
});

test("the operator is not counted, from any address", async () => {
  const none = { perS: 0.000_001, burst: 0 };
  const limits = { perPrincipal: none, perAddress: none, badCredentials: none, conversations: none };
  const { access } = await fixture(limits);
  expect(await outcomes(5, () => access.admit(bearer(operatorToken), here))).toEqual(Array(5).fill("in"));
  expect(await outcomes(5, () => access.admitSender(bearer(operatorToken), here))).toEqual(Array(5).fill("in"));
  expect(await outcomes(5, () => access.admitFrame(operator))).toEqual(Array(5).fill("in"));
  expect(await outcomes(5, () => access.admitOpening(operator))).toEqual(Array(5).fill("in"));
});

test("invalid credentials are counted by address, apart from other requests", async () => {
  const { access, tokens } = await fixture({ badCredentials: { perS: 0.1, burst: 2 } });
  const guess = (address: string) => outcomes(3, () => access.admit(bearer("guessed"), address));
  expect(await guess(here)).toEqual(["unauthorized", "unauthorized", "too-often"]);
  expect(await outcomeOf(() => access.admit(nothing, here))).toBe("unauthorized");
  expect(await outcomeOf(() => access.admit(bearer(tokens.ann), here))).toBe("in");
  expect(await guess(there)).toEqual(["unauthorized", "unauthorized", "too-often"]);
});

test("a token of an unreachable issuer does not count as invalid", async () => {
  const { access } = await fixture({ badCredentials: { perS: 0.1, burst: 1 } });
  expect(await outcomes(3, () => access.admit(bearer("a.b.c"), here))).toEqual(Array(3).fill("unavailable"));
  expect(await outcomeOf(() => access.admit(bearer("guessed"), here))).toBe("unauthorized");
});

test("a request without a credential, or with an invalid cookie, is counted by address", async () => {
  const { access, tokens } = await fixture({
    perAddress: { perS: 0.1, burst: 4 },
    badCredentials: { perS: 0.1, burst: 1 },
  });
  expect(await outcomes(2, () => access.admit(nothing, here, "GET"))).toEqual(Array(2).fill("unauthorized"));
  expect(await outcomes(2, () => access.admit(badCookie, here, "GET"))).toEqual(Array(2).fill("unauthorized"));
  expect(await outcomeOf(() => access.admit(nothing, here, "GET"))).toBe("too-often");
  expect(await outcomeOf(() => access.admit(badCookie, here, "GET"))).toBe("too-often");
  expect(await outcomeOf(() => access.admitSender(nothing, here))).toBe("too-often");
  expect(await outcomeOf(() => access.admit(bearer(tokens.ann), here))).toBe("too-often");
  expect(await outcomeOf(() => access.admit(nothing, there, "GET"))).toBe("unauthorized");
});

test("an answer without a credential comes from the recipient of the delivery, and is counted by address", async () => {
  const { access, tokens } = await fixture({ perAddress: { perS: 0.1, burst: 2 } });
  const named = new Headers({ "in-reply-to": "w1:d1" });
  expect(await access.admitSender(named, here)).toMatchObject({ kind: "recipient", scopes: [] });
  const both = new Headers({ "in-reply-to": "w1:d1", authorization: `Bearer ${tokens.ann}` });
  expect(await access.admitSender(both, here)).toMatchObject({ kind: "agent", speakers: ["tag:ann.example,2026:1"] });
  expect(await outcomeOf(() => access.admitSender(named, here))).toBe("too-often");
});

test("frames count as requests of their credential, and not by address", async () => {
  const { access, tokens } = await fixture({
    perPrincipal: { perS: 0.1, burst: 3 },
    perAddress: { perS: 0.1, burst: 1 },
  });
  const ann = await access.admit(bearer(tokens.ann), here);
  expect(await outcomes(3, () => access.admitFrame(ann))).toEqual(["in", "in", "too-often"]);
});

test("a rejected client gets the seconds to wait, and is accepted after them", async () => {
  const { access, clock } = await fixture({ perAddress: { perS: 0.1, burst: 1 } });
  access.admitAnyone(here);
  expect(await retryAfterOf(() => access.admitAnyone(here))).toBeCloseTo(10);
  await clock.advance(4_000);
  expect(await retryAfterOf(() => access.admitAnyone(here))).toBeCloseTo(6);
  await clock.advance(5_900);
  // Never less than a second.
  expect(await retryAfterOf(() => access.admitAnyone(here))).toBe(1);
  await clock.advance(1_000);
  expect(await outcomeOf(() => access.admitAnyone(here))).toBe("in");
});

const ann: Principal = { id: "key:ann", kind: "agent", speakers: ["tag:ann.example,2026:1"], scopes: ["host"] };

test("new conversations are counted per credential", async () => {
  const { access, held } = await fixture({ conversations: { perS: 0.1, burst: 2 } });
  expect(await outcomes(3, () => access.admitOpening(ann))).toEqual(["in", "in", "too-often"]);
  expect(await outcomeOf(() => access.admitOpening({ ...ann, id: "key:bob" }))).toBe("in");
  expect(held.counts).toBe(1);
});

test("conversations that the floor closes itself count for the maximum, but for no rate limit", async () => {
  const { access } = await fixture({ conversations: { perS: 0.1, burst: 1 }, conversationsMax: 5 });
  expect(await outcomes(3, () => access.admitOpening(ann, { isBrief: true }))).toEqual(["in", "in", "in"]);
  expect(await outcomes(2, () => access.admitOpening(ann))).toEqual(["in", "too-often"]);
  expect(await outcomes(2, () => access.admitOpening(ann, { isBrief: true }))).toEqual(["in", "unavailable"]);
});

test("the maximum of conversations includes the operator's, and is counted again each minute", async () => {
  const { access, held, clock } = await fixture({ conversationsMax: 5 });
  held.conversations = 3;
  expect(await outcomes(3, () => access.admitOpening(ann))).toEqual(["in", "in", "unavailable"]);
  expect(await outcomeOf(() => access.admitOpening(operator))).toBe("unavailable");
  expect(held.counts).toBe(1);
  held.conversations = 4;
  await clock.advance(60_000);
  expect(await outcomes(2, () => access.admitOpening(operator))).toEqual(["in", "unavailable"]);
  expect(held.counts).toBe(2);
});

test("bytes count only without a credential, and a refusal takes a second", async () => {
  const { access, clock, tokens } = await fixture({ anonymousBytes: { perS: 1_000, burst: 10_000 } });
  const anonymous = new Headers();
  expect(await access.admitWriter(anonymous, here, 8_000)).toBe("anonymous");
  let refused: unknown;
  const waiting = access.admitWriter(anonymous, here, 8_000).catch((error: unknown) => {
    refused = error;
  });
  await clock.advance(999);
  expect(refused).toBeUndefined();
  await clock.advance(1);
  await waiting;
  expect(refused).toMatchObject({ code: "too-often", details: { retryAfterS: 6 } });
  expect(await access.admitWriter(anonymous, there, 8_000)).toBe("anonymous");
  const known = new Headers({ authorization: `Bearer ${tokens.ann}` });
  expect(await access.admitWriter(known, here, 1_000_000)).toBe("known");
  // A refused request costs nothing, so the refilled bucket is enough later.
  await clock.advance(4_900);
  const early = access.admitWriter(anonymous, here, 8_000).catch((error: unknown) => error);
  await clock.advance(1_000);
  expect(await early).toMatchObject({ details: { retryAfterS: 1 } });
  expect(await access.admitWriter(anonymous, here, 8_000)).toBe("anonymous");
});

test("only the first answer to an open delivery has free bytes; the refusal of a second names the delivery", async () => {
  const { access, clock, expectedAnswers } = await fixture({ anonymousBytes: { perS: 0.001, burst: 10_000 } });
  const answer = (inReplyTo: string) => new Headers({ "in-reply-to": inReplyTo, "content-length": "8000" });
  for (const id of ["d1", "d2", "d3"]) {
    expectedAnswers.open(id);
    await access.admitSender(answer(id), here);
  }
  await access.admitSender(answer("d1"), here);
  const refused = access.admitSender(answer("d1"), here).catch((error: unknown) => error);
  await clock.advance(1_000);
  expect(await refused).toMatchObject({ code: "too-often", details: { extra: { inReplyTo: "d1" } } });
});
