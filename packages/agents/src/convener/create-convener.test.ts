// A convener as a floor meets it: envelopes in, envelopes out. Rules of docs/convener.md.
import {
  bye,
  type Envelope,
  envelope,
  type FloorEvent,
  grantFloor,
  invite,
  requestFloor,
  textUtterance,
  uninvite,
  yieldFloor,
} from "@plenary/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { agentNamed, agentNames } from "../registry.ts";
import { type ConvenerOptions, createConvener } from "./create-convener.ts";
import { openPolicy } from "./open.ts";
import { queuePolicy } from "./queue-policy.ts";

const self = { speakerUri: "tag:chair.example,2026:1", serviceUrl: "https://chair.example/" };
const ann = "tag:ann.example,2026:1";
const ben = "tag:ben.example,2026:1";
const owl = "tag:owl.example,2026:1";
const to = (speakerUri: string) => ({ to: { speakerUri } });
const says = (speakerUri: string, text: string) =>
  textUtterance(text, { speakerUri, id: `de:${text}`, startTime: "2026-01-01T00:00:00Z" });

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-01-01T09:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

type Sent = { from?: string; granted?: string[]; isDelegated?: boolean; convener?: string | undefined; id?: string };

/** A floor with one convener. */
function stage(agent = createConvener(queuePolicy(), self)) {
  return async (
    event: FloorEvent | FloorEvent[],
    { from = ann, granted = [ann], isDelegated, ...given }: Sent = {},
  ) => {
    const { convener = self.speakerUri, id = "c1" } = given;
    const hasConvener = !("convener" in given) || given.convener !== undefined;
    const conversants = [ann, ben, owl, self.speakerUri].map((speakerUri) => {
      const isAgent = speakerUri === owl || speakerUri === self.speakerUri;
      const serviceUrl = isAgent
        ? `https://${speakerUri.split(/[:,]/u)[1]}/`
        : `https://f.example/openfloor/at/${speakerUri}`;
      const about = { organization: "", conversationalName: "", synopsis: isAgent ? "An agent." : "" };
      return { identification: { speakerUri, serviceUrl, ...about } };
    });
    const assignedFloorRoles = { owner: [ann], ...(hasConvener && { convener: [convener] }) };
    const conversation = { id, conversants, floorGranted: granted, assignedFloorRoles };
    const openFloor = envelope({ conversation, sender: { speakerUri: from }, events: [event].flat() });
    const headers: Record<string, string> =
      isDelegated === undefined ? {} : { "plenary-delegated": isDelegated ? "1" : "0" };
    const body = JSON.stringify({ openFloor });
    const response = await agent.fetch(new Request(self.serviceUrl, { method: "POST", headers, body }));
    return JSON.parse(await response.text()).openFloor.events as FloorEvent[];
  };
}

const delegated = { isDelegated: true };
const observed = { isDelegated: false };

test("every convener offers the role and comes after the other agents", () => {
  const conveners = agentNames.filter((name) => name.startsWith("convener-"));
  expect(agentNames.slice(-conveners.length)).toEqual(conveners);
  for (const name of ["open", "queue", "round-robin", "moderated", "single-speaker", "budget"]) {
    const { identification } = agentNamed(`convener-${name}`)?.manifest ?? {};
    expect(identification?.openFloorRoles).toEqual({ convener: true });
  }
});

test("C15: it accepts an invite and the expected role, without a greeting", async () => {
  const send = stage();
  const event = invite({ to: self, expectedFloorRoles: ["convener"] });
  const events = await send(event, { convener: undefined, ...observed });
  expect(events.map(({ eventType }) => eventType)).toEqual(["acceptInvite"]);
});

test.each([[undefined], ["tag:other.example,2026:1"]])(
  "C1: it is silent while the convener is %s",
  async (convener) => {
    const send = stage();
    expect(await send(requestFloor(), { from: ben, granted: [ann, ben, owl], convener, ...observed })).toEqual([]);
    expect(await send(says(ben, "hello"), { from: ben, convener, ...observed })).toEqual([]);
  },
);

test("C1: it forgets its state when it loses the role", async () => {
  const send = stage();
  await send(requestFloor(), { from: ben, ...delegated });
  await send(requestFloor(), { from: owl, granted: [ann, ben], ...delegated });
  await send(says(ann, "thank you"), { convener: undefined, ...observed });
  expect(await send(yieldFloor(), { from: ben, ...observed })).toEqual([]);
});

test("C2: observed utterances are not returned, delegated ones are, once", async () => {
  const send = stage(createConvener(openPolicy, self));
  const words = says(owl, "hello");
  expect(await send(words, { from: owl, ...observed })).toEqual([]);
  expect(await send(words, { from: owl, ...delegated })).toEqual([words]);
});

test("C2: delegation by another floor is recognized by the table", async () => {
  const send = stage(createConvener(openPolicy, self));
  const words = says(owl, "hello");
  expect(await send(words, { from: owl })).toEqual([words]);
  expect(await send(words, { from: owl, granted: [ann, owl] })).toEqual([]);
  expect(await send(requestFloor(), { from: ben })).toEqual([grantFloor(to(ben))]);
  expect(await send(bye(), { from: ben })).toEqual([]);
  expect(await send([requestFloor(), yieldFloor()], { from: ben })).toEqual([]);
});

test("C6: it approves its own uninvite by the owner, and leaves only when it is uninvited", async () => {
  const send = stage();
  await send(requestFloor(), { from: ben, ...delegated });
  const event = uninvite(to(self.speakerUri));
  expect(await send(event, delegated)).toEqual([event]);
  expect(await send(event, { from: ben, ...delegated })).toEqual([]);
  // It still knows who has the floor.
  expect(await send(requestFloor(), { from: owl, granted: [ann, ben], ...delegated })).toEqual([]);
  await send(event, observed);
  expect(await send(requestFloor(), { from: owl, ...observed })).toEqual([]);
});

test("C3: a failed ruling is reported and answered with no events", async () => {
  const errors: unknown[] = [];
  const rule = () => {
    throw new Error("broken");
  };
  const send = stage(createConvener({ ...openPolicy, rule }, { ...self, onError: (error) => errors.push(error) }));
  expect(await send(requestFloor(), { from: ben, ...delegated })).toEqual([]);
  expect(errors).toHaveLength(1);
});

test("C3: a slow convener answers before the floor's deadline", async () => {
  const options: ConvenerOptions<object> = { ...self, onError: () => {}, advise: () => new Promise(() => {}) };
  const answer = stage(createConvener(openPolicy, options))(requestFloor(), { from: ben, ...delegated });
  await vi.advanceTimersByTimeAsync(9_000);
  expect(await answer).toEqual([]);
});

test("advice is followed; without it the policy rules alone", async () => {
  let isSure = true;
  const advise: ConvenerOptions<object>["advise"] = async () => {
    return isSure ? (state) => ({ state, events: [grantFloor(to(owl))] }) : undefined;
  };
  const send = stage(createConvener(openPolicy, { ...self, advise }));
  expect(await send(requestFloor(), { from: ben, ...delegated })).toContainEqual(grantFloor(to(owl)));
  isSure = false;
  expect(await send(requestFloor(), { from: ben, ...delegated })).toEqual([grantFloor(to(ben))]);
});

test("C16: with a send function it acts when the timer fires", async () => {
  const sent: Envelope[] = [];
  const send = stage(
    createConvener(queuePolicy({ turnMs: 60_000 }), { ...self, send: async (one) => void sent.push(one) }),
  );
  await send(requestFloor(), { from: ben, ...delegated });
  await send(requestFloor(), { from: owl, granted: [ann, ben], ...delegated });
  await vi.advanceTimersByTimeAsync(59_999);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toMatchObject([
    {
      conversation: { id: "c1" },
      sender: self,
      events: [
        { eventType: "revokeFloor", to: { speakerUri: ben } },
        { eventType: "grantFloor", to: { speakerUri: owl } },
      ],
    },
  ]);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(sent).toHaveLength(1);
});

test("C16: without a send function it checks the time with the next envelope", async () => {
  const send = stage(createConvener(queuePolicy({ turnMs: 60_000 }), self));
  await send(requestFloor(), { from: ben, ...delegated });
  await send(requestFloor(), { from: owl, granted: [ann, ben], ...delegated });
  await vi.advanceTimersByTimeAsync(60_000);
  const events = await send(says(ann, "well"), { granted: [ann, ben], ...observed });
  expect(events.map(({ eventType }) => eventType)).toEqual(["revokeFloor", "grantFloor"]);
});

test("C16: losing the role clears the timer", async () => {
  const sent: Envelope[] = [];
  const send = stage(
    createConvener(queuePolicy({ turnMs: 60_000 }), { ...self, send: async (one) => void sent.push(one) }),
  );
  await send(requestFloor(), { from: ben, ...delegated });
  await send(requestFloor(), { from: owl, granted: [ann, ben], ...delegated });
  await send(says(ann, "enough"), { convener: undefined, ...observed });
  await vi.advanceTimersByTimeAsync(600_000);
  expect(sent).toEqual([]);
});

test("C18: a grant that the floor refused is dropped", async () => {
  const send = stage();
  expect(await send(requestFloor(), { from: ben, ...delegated })).toEqual([grantFloor(to(ben))]);
  await vi.advanceTimersByTimeAsync(5_000);
  const events = await send(requestFloor(), { from: owl, granted: [ann], ...delegated });
  expect(events.map(({ eventType, to: target }) => `${eventType} ${target?.speakerUri}`)).toEqual([
    `revokeFloor ${ben}`,
    `grantFloor ${owl}`,
  ]);
});

test("C16, C18: while two speakers have the floor it checks again, once", async () => {
  const sent: Envelope[] = [];
  const send = stage(createConvener(queuePolicy(), { ...self, send: async (one) => void sent.push(one) }));
  await send(requestFloor(), { from: ben, ...delegated });
  const granted = [ann, ben, owl];
  expect(await send(says(ann, "one"), { granted, ...observed })).toMatchObject([
    { eventType: "revokeFloor", ...to(owl) },
  ]);
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(1_000);
  // It was written before that, or the floor did not take it.
  expect(await send(says(ann, "two"), { granted, ...observed })).toEqual([]);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(sent).toMatchObject([{ events: [{ eventType: "revokeFloor", ...to(owl) }] }]);
  expect(vi.getTimerCount()).toBe(0);
});

test.each(["open", "queue", "round-robin", "moderated", "single-speaker", "budget"])(
  "C16: %s sets no timer without a reason",
  async (name) => {
    const send = stage(agentNamed(`convener-${name}`, { ...self, send: async () => {} }));
    await send(says(ann, "hello"), { granted: [ann, ben, owl], ...observed });
    await send(requestFloor(), { from: owl, granted: [ann, ben], ...delegated });
    await send(yieldFloor(), { from: ben, granted: [ann], ...observed });
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(vi.getTimerCount()).toBe(0);
  },
);

test("C16: a timer ruling reaches the floor before the next answer", async () => {
  let arrive = () => {};
  const isOnItsWay = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const send = stage(createConvener(queuePolicy({ turnMs: 60_000 }), { ...self, send: () => isOnItsWay }));
  await send(requestFloor(), { from: ben, ...delegated });
  await send(requestFloor(), { from: owl, granted: [ann, ben], ...delegated });
  await vi.advanceTimersByTimeAsync(60_000);
  const order: string[] = [];
  const answer = send(says(ann, "well"), { granted: [ann, ben], ...observed }).then(() => order.push("answered"));
  await vi.advanceTimersByTimeAsync(1_000);
  order.push("arrived");
  arrive();
  await answer;
  expect(order).toEqual(["arrived", "answered"]);
});

test("C13: after a restart the turn keeps its start time", async () => {
  const at = new Date(Date.now() - 59_000).toISOString();
  const readHistory = async () => [{ at, sender: self.speakerUri, event: grantFloor(to(ben)) }];
  const send = stage(createConvener(queuePolicy({ turnMs: 60_000 }), { ...self, readHistory }));
  const first = await Promise.all([
    send(says(ann, "well"), { granted: [ann, ben], ...observed }),
    send(requestFloor(), { from: owl, granted: [ann, ben], ...delegated }),
  ]);
  expect(first).toEqual([[], []]);
  await vi.advanceTimersByTimeAsync(1_000);
  const events = await send(says(ann, "so"), { granted: [ann, ben], ...observed });
  expect(events).toMatchObject([{ eventType: "revokeFloor" }, { eventType: "grantFloor", to: { speakerUri: owl } }]);
});

test("conversations have separate states", async () => {
  const send = stage();
  await send(requestFloor(), { from: ben, ...delegated, id: "c1" });
  expect(await send(requestFloor(), { from: owl, ...delegated, id: "c2" })).toEqual([grantFloor(to(owl))]);
});

test("C16: a forgotten conversation sets no timer", async () => {
  const send = stage(createConvener(queuePolicy(), { ...self, send: async () => {} }));
  await send(requestFloor(), { from: ben, ...delegated });
  await send(requestFloor(), { from: owl, granted: [ann, ben], ...delegated });
  expect(vi.getTimerCount()).toBe(1);
  for (let count = 0; count < 1_000; count += 1) await send(says(ann, "hello"), { id: `other ${count}`, ...observed });
  expect(vi.getTimerCount()).toBe(0);
});

test("C1, C11: losing the role during the restore starts a new state", async () => {
  const readHistory = () => new Promise<never[]>((resolve) => setTimeout(resolve, 100, []));
  const send = stage(createConvener(queuePolicy(), { ...self, readHistory }));
  const first = send(requestFloor(), { from: owl, ...delegated });
  await send(says(ann, "no"), { convener: undefined, ...observed });
  await vi.advanceTimersByTimeAsync(100);
  expect(await first).toEqual([]);
  const again = send(says(ben, "alone"), { from: ben, granted: [ann, ben], ...observed });
  await vi.advanceTimersByTimeAsync(100);
  expect(await again).toEqual([]);
});
