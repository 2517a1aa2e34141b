import { decide, defaultOptions, emptyFloor, type Floor } from "@plenary/floor";
import { type DialogEvent, envelope, type FloorEvent, invite, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { createMemoryCredentials } from "../auth/memory-credentials.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { dedupeOf } from "./dedupe.ts";
import { type FactsContext, lookUp } from "./facts.ts";

const now = "2026-01-01T00:00:00.000Z";
const ann = "tag:people.example,2026:ann";
const bot = { speakerUri: "tag:bot.example,2026:bot", serviceUrl: "http://bot.example/" };
const other = { speakerUri: "tag:other.example,2026:o", serviceUrl: "http://other.example/" };

const here = { speakerUri: "tag:floor.example,2026:f", serviceUrl: "http://floor.example/openfloor" };

const from = (...events: FloorEvent[]) => envelope({ conversation: { id: "c" }, sender: { speakerUri: ann }, events });

function utterance(text: string, id: string, to?: FloorEvent["to"], startTime = now) {
  return textUtterance(text, { speakerUri: ann, id, startTime, ...(to && { to }) });
}

/** Ann whispered to the bot and said something in public. */
async function conversation() {
  const store = createMemoryStore();
  const owner = { speakerUri: ann, serviceUrl: "", organization: "", conversationalName: "", synopsis: "" };
  const command = { verb: "open", self: here, owner, options: defaultOptions } as const;
  const first = decide(emptyFloor("c"), { kind: "command", command, by: "operator" }, now);
  const sent = from(
    invite({ to: bot }),
    utterance("secret", "w1", { speakerUri: bot.speakerUri, private: true }),
    utterance("public", "p1"),
  );
  const then = decide(first.floor, { kind: "envelope", envelope: sent }, now);
  const entries = [...first.entries, ...then.entries];
  const dedupe = dedupeOf(then, sent, {});
  await store.log.append(
    "c",
    { floor: then.floor, entries, deliveries: [], timers: [], dedupe, settled: [], rung: [], dead: [] },
    0,
  );
  const context: FactsContext = {
    log: store.log,
    lookups: store.lookups,
    credentials: createMemoryCredentials(),
    self: here,
    clock: createFakeClock(),
  };
  return { context, floor: then.floor };
}

async function withheld(floor: Floor, context: FactsContext, to: typeof bot, history: DialogEvent[]) {
  return (await lookUp(context, floor, from(invite({ to, dialogHistory: history })))).withheld ?? [];
}

const spoken = (event: FloorEvent & { eventType: "utterance" }) => event.parameters.dialogEvent;

test("D29: the same id and content is a duplicate, at any time; other content is a clash", async () => {
  const { context, floor } = await conversation();
  const facts = await lookUp(
    context,
    floor,
    from(
      utterance("public", "p1", undefined, "2026-01-02T00:00:00Z"),
      utterance("changed", "p1"),
      utterance("new", "p2"),
    ),
  );
  expect(facts).toEqual({ duplicates: [0], clashes: [1] });
});

test("D29: a repeated utterance within one envelope counts once", async () => {
  const { context, floor } = await conversation();
  expect(await lookUp(context, floor, from(utterance("new", "n"), utterance("new", "n")))).toEqual({
    duplicates: [1],
  });
});

test("D16: a whisper is withheld from an invitee who took no part in it, by its id or by its text", async () => {
  const { context, floor } = await conversation();
  const history = [
    spoken(utterance("secret", "w1")),
    spoken(utterance("secret", "retold")),
    spoken(utterance("public", "p1")),
  ];
  expect(await withheld(floor, context, other, history)).toEqual(["w1", "retold"]);
  expect(await withheld(floor, context, bot, history)).toEqual([]);
});

test("D16: history unknown to the log stays, and so does a public utterance with the same id", async () => {
  const { context, floor } = await conversation();
  expect(
    await withheld(floor, context, other, [
      spoken(utterance("from elsewhere", "e1")),
      spoken(utterance("secret", "p1")),
    ]),
  ).toEqual([]);
});

test("a speaker bound to another address is a move only where the floor accepts the claim as one", async () => {
  const { context, floor } = await conversation();
  const invites = from(invite({ to: { ...bot, serviceUrl: "http://elsewhere.example/" } }), invite({ to: other }));
  const lookups = { ...context.lookups, boundTo: async () => [bot.serviceUrl, undefined] };
  expect(await lookUp({ ...context, lookups }, floor, invites)).toMatchObject({
    boundElsewhere: [bot.speakerUri],
    moved: [],
  });
  const isMove = (claim: typeof bot, before: string) =>
    claim.speakerUri === bot.speakerUri && before === bot.serviceUrl;
  const facts = await lookUp({ ...context, lookups, isMove }, floor, invites);
  expect(facts).toMatchObject({ boundElsewhere: [], moved: [bot.speakerUri] });
});

test("an invite without a history needs no search for whispers", async () => {
  const { context, floor } = await conversation();
  const lookups = { ...context.lookups, whispersLike: () => Promise.reject(new Error("unexpected search")) };
  expect(
    await lookUp({ ...context, lookups }, floor, from(invite({ to: other }), utterance("new", "p2"))),
  ).toMatchObject({});
});
