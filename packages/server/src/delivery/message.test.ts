import { type Conversation, envelope, type FloorEvent, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import type { OutboundMessage } from "../ports/outbound.ts";
import { collectGarbage } from "../testing/collect-garbage.ts";
import { ann, bot, startDeliveryFixture } from "../testing/delivery-fixture.ts";
import { bodyOf, emptyAnswer } from "./message.ts";

const noPeers = { speakerUriOf: () => undefined, serviceUrlOf: () => undefined };
const sender = { speakerUri: ann };

function message(conversation: Conversation, events: FloorEvent[], from = sender): OutboundMessage {
  return {
    conversationId: conversation.id,
    delivery: "d7.0",
    to: bot,
    envelope: envelope({ conversation, sender: from, events }),
    turn: "t1",
    depth: 1,
    floors: [],
    isInvite: false,
    isDelegation: false,
    peers: noPeers,
    background: async () => ({ peers: noPeers, carried: {} }),
    signal: new AbortController().signal,
    onRetry: () => {},
    onDraft: () => {},
  };
}

const startTime = "2026-01-01T00:00:00.000Z";
const said = (text: string) => textUtterance(text, { speakerUri: ann, id: `de:${text}`, startTime });

/** An event that counts how often it is encoded. */
function countedEvent(text: string) {
  const event = said(text);
  const { parameters } = event;
  let reads = 0;
  Object.defineProperty(event, "parameters", {
    enumerable: true,
    get() {
      reads += 1;
      return parameters;
    },
  });
  return { event, reads: () => reads };
}

test("recipients of the same events get the same text, which is encoded once", async () => {
  const { event, reads } = countedEvent("hi");
  const conversation = { id: "c" };
  const first = await bodyOf(message(conversation, [event]), "1.1");
  const readsOfOne = reads();
  expect(await bodyOf(message(conversation, [event]), "1.1")).toBe(first);
  expect([readsOfOne > 0, reads()]).toEqual([true, readsOfOne]);
});

test("equal events that are other objects are encoded for themselves", async () => {
  const conversation = { id: "c" };
  const [one, other] = [countedEvent("hi"), countedEvent("hi")];
  await bodyOf(message(conversation, [one.event]), "1.1");
  await bodyOf(message(conversation, [other.event]), "1.1");
  expect(other.reads()).toBe(one.reads());
});

test("another conversation section, sender, or further event is another text", async () => {
  const [event, whisper] = [said("hi"), said("whispered")];
  const conversation = { id: "c" };
  const body = await bodyOf(message(conversation, [event]), "1.1");
  const roster = { id: "c", assignedFloorRoles: { convener: [ann] } };
  const others = [
    message(roster, [event]),
    message(conversation, [event], { speakerUri: bot.speakerUri }),
    message(conversation, [event, whisper]),
    message(conversation, [whisper, event]),
  ];
  const bodies = [body, ...(await Promise.all(others.map(async (other) => bodyOf(other, "1.1"))))];
  expect(new Set(bodies).size).toBe(5);
  // In any order: the text of the first message contains nothing of those after it.
  expect(await bodyOf(message(conversation, [event]), "1.1")).toBe(body);
});

test("messages without events do not share a text", async () => {
  const bodies = [];
  for (const id of ["a", "b"]) bodies.push(JSON.parse(String(await bodyOf(message({ id }, []), "1.1"))));
  expect(bodies.map(({ openFloor }) => openFloor.conversation.id)).toEqual(["a", "b"]);
});

test("a whisper is only in the body for its addressee", async () => {
  const floor = await startDeliveryFixture();
  const fox = { speakerUri: "tag:fox.example,2026:1", serviceUrl: "http://fox.example/" };
  const owl = { speakerUri: "tag:owl.example,2026:1", serviceUrl: "http://owl.example/" };
  await floor.open();
  for (const agent of [bot, fox, owl]) await floor.seat(agent);
  const whisper = { to: { speakerUri: fox.speakerUri, private: true } };
  const texts: Record<string, string> = {};
  for (const [words, more] of [["public one"], ["secret", whisper], ["public two"]] as const) {
    await floor.say(words, more);
    await floor.clock.advance(0);
    for (const { message, end } of floor.sent.splice(0)) {
      const { serviceUrl } = message.to;
      texts[serviceUrl] = `${texts[serviceUrl] ?? ""}${await bodyOf(message, "1.1")}`;
      end({ kind: "envelope", envelope: emptyAnswer(message), dialect: "1.1", carried: {} });
    }
    await floor.clock.advance(0);
  }
  expect(Object.keys(texts)).toHaveLength(3);
  for (const [url, text] of Object.entries(texts)) {
    expect([url, text.includes("public one"), text.includes("public two")]).toEqual([url, true, true]);
    expect([url, text.includes("secret")]).toEqual([url, url === fox.serviceUrl]);
  }
  await floor.close();
});

test("an encoded event is not kept once nobody else has it, so nothing of an erased conversation is", async () => {
  const encodeOnce = async () => {
    const event = said("to be erased");
    await bodyOf(message({ id: "c" }, [event]), "1.1");
    return new WeakRef(event);
  };
  const kept = await encodeOnce();
  await collectGarbage();
  expect(kept.deref() === undefined).toBe(true);
});
