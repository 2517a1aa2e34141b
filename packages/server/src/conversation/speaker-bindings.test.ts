import { decide, defaultOptions, emptyFloor, relayUrlOf } from "@plenary/floor";
import { expect, test } from "vitest";
import { credential } from "../auth/acceptance.ts";
import { createMemoryCredentials } from "../auth/memory-credentials.ts";
import { changeOf, now } from "../store/acceptance/fixture.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { boundAddresses } from "./speaker-bindings.ts";

const ann = "tag:people.example,2026:ann";
const ben = "tag:people.example,2026:ben";
const bot = "tag:bot.example,2026:bot";
const elsewhere = "https://bot.example/openfloor";
const before = "http://127.0.0.1:4000/openfloor";
const here = { speakerUri: "tag:floor.example,2026:f", serviceUrl: "http://127.0.0.1:5000/openfloor" };

/** Ann created a conversation at another port of the floor; Ben and the bot have keys; the operator seated the bot. */
async function floorOf() {
  const store = createMemoryStore();
  const about = { organization: "", conversationalName: "", synopsis: "" };
  const owner = { ...about, speakerUri: ann, serviceUrl: relayUrlOf(before, ann) };
  const self = { ...here, serviceUrl: before };
  const open = { verb: "open", self, owner, options: defaultOptions } as const;
  const opening = decide(emptyFloor("c"), { kind: "command", command: open, by: "operator" }, now);
  await store.log.append("c", changeOf(opening), 0);
  const identification = { ...about, speakerUri: bot, serviceUrl: elsewhere };
  const seat = { verb: "seat", identification, seatKind: "agent" } as const;
  const seating = decide(opening.floor, { kind: "command", command: seat, by: "operator" }, now);
  await store.log.append("c", changeOf(seating), opening.floor.seq);
  const credentials = createMemoryCredentials();
  await credentials.add(credential({ isPerson: true, speakers: [ben] }));
  await credentials.add(credential({ speakers: ["tag:new.example,2026:1"] }));
  const context = { credentials, self: here, clock: createFakeClock() };
  return async (speakerUri: string, serviceUrl: string) =>
    (await boundAddresses(store.lookups, [{ speakerUri, serviceUrl }], context))[0];
}

test("the relay address of this floor is valid for its speaker, also after joining from another address", async () => {
  const addressOf = await floorOf();
  for (const speakerUri of [ann, ben, bot]) {
    const relay = relayUrlOf(here.serviceUrl, speakerUri);
    expect(await addressOf(speakerUri, relay)).toBe(relay);
  }
});

test("a relay address is valid only for its exact speaker, host and port", async () => {
  const addressOf = await floorOf();
  const others = [
    relayUrlOf(here.serviceUrl, ann),
    relayUrlOf(before, bot),
    relayUrlOf("https://evil.example/openfloor", bot),
    relayUrlOf(`https://evil.example/${here.serviceUrl}`, bot),
    `${relayUrlOf(here.serviceUrl, bot)}/more`,
  ];
  for (const serviceUrl of others) expect(await addressOf(bot, serviceUrl)).toBe(elsewhere);
  expect(await addressOf(bot.toUpperCase(), relayUrlOf(here.serviceUrl, bot))).toBe(elsewhere);
});

test("a person is bound to the relay address; the key of an agent binds no address", async () => {
  const addressOf = await floorOf();
  expect(await addressOf(ann, elsewhere)).toBe(relayUrlOf(before, ann));
  expect(await addressOf(ben, elsewhere)).toBe(relayUrlOf(here.serviceUrl, ben));
  expect(await addressOf("tag:new.example,2026:1", elsewhere)).toBeUndefined();
});
