import assert from "node:assert/strict";
import { decide, defaultOptions, emptyFloor, type Floor, relayUrlOf } from "@plenary/floor";
import { envelope, invite } from "@plenary/protocol";
import type { FloorStore } from "../../ports/store.ts";
import { type AcceptanceCase, afterCommand, ann, bot, changeOf, now } from "./fixture.ts";

const self = { speakerUri: "tag:floor.example,2026:floor", serviceUrl: "https://floor.example/openfloor" };
const about = { organization: "", conversationalName: "", synopsis: "" };
const elsewhere = "https://elsewhere.example/openfloor";
const annsRelay = relayUrlOf(self.serviceUrl, ann);

function openOwnedAt(store: FloorStore, id: string, serviceUrl: string): Promise<Floor> {
  const owner = { ...about, speakerUri: ann, serviceUrl };
  return afterCommand(store, emptyFloor(id), { verb: "open", self, owner, options: defaultOptions });
}

/** The agent was invited at this address and answered. */
async function joinAt(store: FloorStore, floor: Floor, to: typeof bot): Promise<Floor> {
  const about = { conversation: { id: floor.id }, events: [] };
  const sent = envelope({ ...about, sender: { speakerUri: ann }, events: [invite({ to })] });
  const inviting = decide(floor, { kind: "envelope", envelope: sent }, now);
  await store.log.append(floor.id, changeOf(inviting), floor.seq);
  const [effect] = inviting.effects.filter((one) => one.kind === "deliver");
  assert.ok(effect);
  const answered = envelope({ ...about, sender: { speakerUri: to.speakerUri } });
  const joining = decide(inviting.floor, { kind: "answer", delivery: effect.delivery, envelope: answered }, now);
  await store.log.append(floor.id, changeOf(joining), inviting.floor.seq);
  return joining.floor;
}

async function boundAddressOf(store: FloorStore, speakerUri: string): Promise<string | undefined> {
  return (await store.lookups.boundTo([{ speakerUri, serviceUrl: "" }]))[0];
}

const seat = { verb: "seat", identification: { ...bot, ...about }, seatKind: "agent" } as const;
const rebind = { verb: "rebind", speakerUri: bot.speakerUri, serviceUrl: elsewhere } as const;
const owner = { by: "owner", speakerUri: ann } as const;

/** Trust on first use. */
export const bindingAcceptance: readonly AcceptanceCase[] = [
  {
    name: "an agent that joins by answering is bound to its first address, in any case of its speakerUri",
    async run(store) {
      await joinAt(store, await openOwnedAt(store, "a", ""), bot);
      await joinAt(store, await openOwnedAt(store, "b", ""), { ...bot, serviceUrl: elsewhere });
      await joinAt(store, await openOwnedAt(store, "c", ""), {
        speakerUri: `${bot.speakerUri}/`,
        serviceUrl: elsewhere,
      });
      for (const name of [bot.speakerUri, bot.speakerUri.toUpperCase(), `${bot.speakerUri}/`]) {
        assert.equal(await boundAddressOf(store, name), bot.serviceUrl);
      }
      assert.equal(await boundAddressOf(store, "tag:nobody.example,2026:x"), undefined);
    },
  },
  {
    name: "a relay path at another host is bound like any address",
    async run(store) {
      const serviceUrl = relayUrlOf(elsewhere, bot.speakerUri);
      await joinAt(store, await openOwnedAt(store, "c", ""), { ...bot, serviceUrl });
      assert.equal(await boundAddressOf(store, bot.speakerUri), serviceUrl);
    },
  },
  {
    name: "the creator of a conversation is bound to our relay address, not to an address that it claims",
    async run(store) {
      await openOwnedAt(store, "a", elsewhere);
      assert.equal(await boundAddressOf(store, ann), undefined);
      await openOwnedAt(store, "b", annsRelay);
      assert.equal(await boundAddressOf(store, ann), annsRelay);
    },
  },
  {
    name: "a speaker seated by the operator is bound, one seated by an owner or a link is not",
    async run(store) {
      const floor = await openOwnedAt(store, "a", "");
      await afterCommand(store, floor, seat, owner);
      await afterCommand(store, await openOwnedAt(store, "b", ""), { ...seat, seatKind: "person" }, { by: "link" });
      assert.equal(await boundAddressOf(store, bot.speakerUri), undefined);
      await afterCommand(store, await openOwnedAt(store, "c", ""), seat);
      assert.equal(await boundAddressOf(store, bot.speakerUri), bot.serviceUrl);
    },
  },
  {
    name: "the operator rebinds a speaker, in any case of its speakerUri; an owner does not",
    async run(store) {
      await joinAt(store, await openOwnedAt(store, "a", ""), bot);
      const floor = await afterCommand(store, await openOwnedAt(store, "b", ""), rebind, owner);
      assert.equal(await boundAddressOf(store, bot.speakerUri), bot.serviceUrl);
      await afterCommand(store, floor, { ...rebind, speakerUri: bot.speakerUri.toUpperCase() });
      assert.equal(await boundAddressOf(store, bot.speakerUri), elsewhere);
    },
  },
];
