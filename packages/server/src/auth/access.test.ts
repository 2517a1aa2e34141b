import { expect, test } from "vitest";
import { createOpenAnswers } from "../delivery/expected-answers.ts";
import { Problem } from "../errors.ts";
import { type Credential, newCredentialToken } from "../ports/credentials.ts";
import { noMetrics } from "../ports/metrics.ts";
import { operator, type Principal } from "../ports/principal.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createDoorkeeper } from "./access.ts";
import { createIdentity } from "./authenticate.ts";
import { createMemoryCredentials } from "./memory-credentials.ts";
import type { RateLimits } from "./rate-limiter.ts";

const operatorToken = "the-operators-own-token";
const publicUrl = "https://floor.example";
const [here, there] = ["192.0.2.1", "192.0.2.2"];
const plenty = { perS: 1_000, burst: 1_000 };

/** A door with room for everything that a test does not bound. */
async function openDoor(limits: Partial<RateLimits & { conversationsMax: number }> = {}) {
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
    ...{ token: operatorToken, credentials, clock },
    sessions: { publicUrl: () => publicUrl },
    tokens: { verify: () => Promise.reject(new Problem("unavailable")) },
  });
  const rates = {
    ...{ perPrincipal: plenty, perAddress: plenty, badCredentials: plenty, conversations: plenty },
    hostedAgents: plenty,
    strangerBytes: { perS: 1e9, burst: 1e9 },
  };
  const openAnswers = createOpenAnswers();
  const keeper = createDoorkeeper(
    { identity, clock, metrics, store: { count }, openAnswers },
    { ...rates, remembered: 100, conversationsMax: 1_000, ...limits },
  );
  return { clock, tokens, turnedAway, held, keeper, openAnswers };
}

const bearer = (token: string) => new Headers({ authorization: `Bearer ${token}` });
const nothing = new Headers();
const badCookie = new Headers({ cookie: "__Host-plenary_session=made-up; plenary_session=made-up" });

/** What each of these calls came to: `in`, or the code of the problem. */
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

test("a credential is counted wherever it comes from, and no other with it", async () => {
  const { keeper, tokens, turnedAway } = await openDoor({ perPrincipal: { perS: 0.1, burst: 2 } });
  expect(await outcomeOf(() => keeper.admit(bearer(tokens.ann), here))).toBe("in");
  expect(await outcomeOf(() => keeper.admit(bearer(tokens.ann), there))).toBe("in");
  expect(await outcomeOf(() => keeper.admit(bearer(tokens.ann), here))).toBe("too-often");
  expect(await outcomeOf(() => keeper.admit(bearer(tokens.bob), here))).toBe("in");
  expect(turnedAway).toEqual(["rate"]);
});

test("an address is counted whoever comes from it, and no other with it", async () => {
  const { keeper, tokens } = await openDoor({ perAddress: { perS: 0.1, burst: 3 } });
  expect(await outcomeOf(() => keeper.admit(bearer(tokens.ann), here))).toBe("in");
  expect(await outcomeOf(() => keeper.admitAnyone(here))).toBe("in");
  expect(await outcomeOf(() => keeper.admit(bearer(tokens.bob), here))).toBe("in");
  expect(await outcomeOf(() => keeper.admit(bearer(tokens.bob), here))).toBe("too-often");
  expect(await outcomeOf(() => keeper.admitAnyone(here))).toBe("too-often");
  expect(await outcomeOf(() => keeper.admit(bearer(tokens.bob), there))).toBe("in");
});

test("all that one network of IPv6 can call itself is one address", async () => {
  const { keeper } = await openDoor({ perAddress: { perS: 0.1, burst: 2 }, badCredentials: { perS: 0.1, burst: 1 } });
  const from = ["2001:db8:1:2::1", "2001:db8:1:2:ffff::2", "2001:db8:1:2:3:4:5:6"];
  const found: string[] = [];
  for (const address of from) found.push(await outcomeOf(() => keeper.admitAnyone(address)));
  expect(found).toEqual(["in", "in", "too-often"]);
  expect(await outcomeOf(() => keeper.admitAnyone("2001:db8:1:3::1"))).toBe("in");
  for (const address of [here, `::ffff:${here}`]) found.push(await outcomeOf(() => keeper.admit(bearer("x"), address)));
  expect(found.slice(3)).toEqual(["unauthorized", "too-often"]);
});

test("who calls an agent that lives here is counted by address and agent, and keeps nobody else from it", async () => {
  const { keeper } = await openDoor({ hostedAgents: { perS: 0.1, burst: 2 } });
  const calls = await outcomes(3, () => keeper.admitCaller(here, "discovery"));
  expect(calls).toEqual(["in", "in", "too-often"]);
  expect(await outcomeOf(() => keeper.admitCaller(here, "echo"))).toBe("in");
  expect(await outcomeOf(() => keeper.admitCaller(there, "discovery"))).toBe("in");
  expect(await outcomeOf(() => keeper.admitAnyone(here))).toBe("in");
});

test("the operator is not counted, as whom or from where it may come", async () => {
  const none = { perS: 0.000_001, burst: 0 };
  const limits = { perPrincipal: none, perAddress: none, badCredentials: none, conversations: none };
  const { keeper } = await openDoor(limits);
  expect(await outcomes(5, () => keeper.admit(bearer(operatorToken), here))).toEqual(Array(5).fill("in"));
  expect(await outcomes(5, () => keeper.admitSender(bearer(operatorToken), here))).toEqual(Array(5).fill("in"));
  expect(await outcomes(5, () => keeper.admitFrame(operator))).toEqual(Array(5).fill("in"));
  expect(await outcomes(5, () => keeper.admitOpening(operator))).toEqual(Array(5).fill("in"));
});

test("credentials that are nobody's are counted by address, apart from what else comes from there", async () => {
  const { keeper, tokens } = await openDoor({ badCredentials: { perS: 0.1, burst: 2 } });
  const guess = (address: string) => outcomes(3, () => keeper.admit(bearer("guessed"), address));
  expect(await guess(here)).toEqual(["unauthorized", "unauthorized", "too-often"]);
  expect(await outcomeOf(() => keeper.admit(nothing, here))).toBe("unauthorized");
  expect(await outcomeOf(() => keeper.admit(bearer(tokens.ann), here))).toBe("in");
  expect(await guess(there)).toEqual(["unauthorized", "unauthorized", "too-often"]);
});

test("a token whose issuer cannot be asked is no wrong credential", async () => {
  const { keeper } = await openDoor({ badCredentials: { perS: 0.1, burst: 1 } });
  expect(await outcomes(3, () => keeper.admit(bearer("a.b.c"), here))).toEqual(Array(3).fill("unavailable"));
  expect(await outcomeOf(() => keeper.admit(bearer("guessed"), here))).toBe("unauthorized");
});

test("who brings no credential, or a cookie that is none, is counted like anybody at that address", async () => {
  const { keeper, tokens } = await openDoor({
    perAddress: { perS: 0.1, burst: 4 },
    badCredentials: { perS: 0.1, burst: 1 },
  });
  expect(await outcomes(2, () => keeper.admit(nothing, here, "GET"))).toEqual(Array(2).fill("unauthorized"));
  expect(await outcomes(2, () => keeper.admit(badCookie, here, "GET"))).toEqual(Array(2).fill("unauthorized"));
  expect(await outcomeOf(() => keeper.admit(nothing, here, "GET"))).toBe("too-often");
  expect(await outcomeOf(() => keeper.admit(badCookie, here, "GET"))).toBe("too-often");
  expect(await outcomeOf(() => keeper.admitSender(nothing, here))).toBe("too-often");
  expect(await outcomeOf(() => keeper.admit(bearer(tokens.ann), here))).toBe("too-often");
  expect(await outcomeOf(() => keeper.admit(nothing, there, "GET"))).toBe("unauthorized");
});

test("who answers a delivery without a credential is its recipient, counted by address", async () => {
  const { keeper, tokens } = await openDoor({ perAddress: { perS: 0.1, burst: 2 } });
  const named = new Headers({ "in-reply-to": "w1:d1" });
  expect(await keeper.admitSender(named, here)).toMatchObject({ kind: "recipient", scopes: [] });
  const both = new Headers({ "in-reply-to": "w1:d1", authorization: `Bearer ${tokens.ann}` });
  expect(await keeper.admitSender(both, here)).toMatchObject({ kind: "agent", speakers: ["tag:ann.example,2026:1"] });
  expect(await outcomeOf(() => keeper.admitSender(named, here))).toBe("too-often");
});

test("frames are counted with the requests of their credential, and not by address", async () => {
  const { keeper, tokens } = await openDoor({
    perPrincipal: { perS: 0.1, burst: 3 },
    perAddress: { perS: 0.1, burst: 1 },
  });
  const ann = await keeper.admit(bearer(tokens.ann), here);
  expect(await outcomes(3, () => keeper.admitFrame(ann))).toEqual(["in", "in", "too-often"]);
});

test("whoever is turned away hears after how many seconds it may come again, and may then", async () => {
  const { keeper, clock } = await openDoor({ perAddress: { perS: 0.1, burst: 1 } });
  keeper.admitAnyone(here);
  expect(await retryAfterOf(() => keeper.admitAnyone(here))).toBeCloseTo(10);
  await clock.advance(4_000);
  expect(await retryAfterOf(() => keeper.admitAnyone(here))).toBeCloseTo(6);
  await clock.advance(5_900);
  // Never less than a second: whoever comes back at once has not waited.
  expect(await retryAfterOf(() => keeper.admitAnyone(here))).toBe(1);
  await clock.advance(1_000);
  expect(await outcomeOf(() => keeper.admitAnyone(here))).toBe("in");
});

const ann: Principal = { id: "key:ann", kind: "agent", speakers: ["tag:ann.example,2026:1"], scopes: ["host"] };

test("conversations are counted by who begins them", async () => {
  const { keeper, held } = await openDoor({ conversations: { perS: 0.1, burst: 2 } });
  expect(await outcomes(3, () => keeper.admitOpening(ann))).toEqual(["in", "in", "too-often"]);
  expect(await outcomeOf(() => keeper.admitOpening({ ...ann, id: "key:bob" }))).toBe("in");
  expect(held.counts).toBe(1);
});

test("conversations that the floor closes itself take room, and count for nobody's rate", async () => {
  const { keeper } = await openDoor({ conversations: { perS: 0.1, burst: 1 }, conversationsMax: 5 });
  expect(await outcomes(3, () => keeper.admitOpening(ann, { isBrief: true }))).toEqual(["in", "in", "in"]);
  expect(await outcomes(2, () => keeper.admitOpening(ann))).toEqual(["in", "too-often"]);
  expect(await outcomes(2, () => keeper.admitOpening(ann, { isBrief: true }))).toEqual(["in", "unavailable"]);
});

test("there is room for so many conversations, the operator's too, and they are counted anew each minute", async () => {
  const { keeper, held, clock } = await openDoor({ conversationsMax: 5 });
  held.conversations = 3;
  expect(await outcomes(3, () => keeper.admitOpening(ann))).toEqual(["in", "in", "unavailable"]);
  expect(await outcomeOf(() => keeper.admitOpening(operator))).toBe("unavailable");
  expect(held.counts).toBe(1);
  held.conversations = 4;
  await clock.advance(60_000);
  expect(await outcomes(2, () => keeper.admitOpening(operator))).toEqual(["in", "unavailable"]);
  expect(held.counts).toBe(2);
});

test("a stranger pays for each byte, is refused after a second, and a right credential pays nothing", async () => {
  const { keeper, clock, tokens } = await openDoor({ strangerBytes: { perS: 1_000, burst: 10_000 } });
  const nobody = new Headers();
  expect(await keeper.admitWriter(nobody, here, 8_000)).toBe("stranger");
  let refused: unknown;
  const waiting = keeper.admitWriter(nobody, here, 8_000).catch((error: unknown) => {
    refused = error;
  });
  await clock.advance(999);
  expect(refused).toBeUndefined();
  await clock.advance(1);
  await waiting;
  expect(refused).toMatchObject({ code: "too-often", details: { retryAfterS: 6 } });
  expect(await keeper.admitWriter(nobody, there, 8_000)).toBe("stranger");
  const known = new Headers({ authorization: `Bearer ${tokens.ann}` });
  expect(await keeper.admitWriter(known, here, 1_000_000)).toBe("known");
  // What was refused cost nothing, and what comes back is enough at last.
  await clock.advance(4_900);
  const early = keeper.admitWriter(nobody, here, 8_000).catch((error: unknown) => error);
  await clock.advance(1_000);
  expect(await early).toMatchObject({ details: { retryAfterS: 1 } });
  expect(await keeper.admitWriter(nobody, here, 8_000)).toBe("stranger");
});

test("the first answer to an open delivery pays for no bytes, a second one does and its refusal names the delivery", async () => {
  const { keeper, clock, openAnswers } = await openDoor({ strangerBytes: { perS: 0.001, burst: 10_000 } });
  const answer = (inReplyTo: string) => new Headers({ "in-reply-to": inReplyTo, "content-length": "8000" });
  for (const id of ["d1", "d2", "d3"]) {
    openAnswers.open(id);
    await keeper.admitSender(answer(id), here);
  }
  await keeper.admitSender(answer("d1"), here);
  const refused = keeper.admitSender(answer("d1"), here).catch((error: unknown) => error);
  await clock.advance(1_000);
  expect(await refused).toMatchObject({ code: "too-often", details: { extra: { inReplyTo: "d1" } } });
});
