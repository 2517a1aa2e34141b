import { envelope, type FloorEvent, requestFloor, textUtterance, uninvite } from "@plenary/protocol";
import { expect, test } from "vitest";
import { createAgent } from "../agent.ts";
import type { Handlers } from "./handlers.ts";

const me = "tag:chair.example,2026:1";
const url = "https://chair.example/";
const ann = "tag:ann.example,2026:1";
const ben = "tag:ben.example,2026:1";
const seat = (speakerUri: string, serviceUrl: string) => ({
  identification: { speakerUri, serviceUrl, organization: "Example", conversationalName: "One", synopsis: "Is here." },
});
const conversants = [seat(ann, "https://ann.example/"), seat(ben, "https://ben.example/"), seat(me, url)];

type ConversationOptions = { floorGranted?: string[]; convener?: string; isDelegated?: boolean };

function stage(handlers: Partial<Handlers<object>>) {
  const identification = { speakerUri: me, serviceUrl: url, organization: "", conversationalName: "", synopsis: "" };
  const manifest = { identification, capabilities: [] };
  const agent = createAgent<object>({ manifest, onUtterance: () => undefined, newState: () => ({}), ...handlers });
  return async (event: FloorEvent, { floorGranted = [], convener = me, isDelegated }: ConversationOptions = {}) => {
    const conversation = { id: "c1", conversants, floorGranted, assignedFloorRoles: { convener: [convener] } };
    const openFloor = envelope({ conversation, sender: { speakerUri: ann }, events: [event] });
    const headers = new Headers(isDelegated === undefined ? {} : { "plenary-delegated": isDelegated ? "1" : "0" });
    const body = JSON.stringify({ openFloor });
    const response = await agent.fetch(new Request(url, { method: "POST", headers, body }));
    const answer: { openFloor: { events: FloorEvent[] } } = JSON.parse(await response.text());
    return answer.openFloor.events;
  };
}

const words = textUtterance("hello", { speakerUri: ann, id: "de:1", startTime: "2026-01-01T00:00:00Z" });
const returning: Partial<Handlers<object>> = { onDelegated: ({ event }) => event };

test("a delegated uninvite of the convener does not remove it yet", async () => {
  const send = stage(returning);
  const event = uninvite({ to: { speakerUri: me } });
  expect(await send(event, { isDelegated: true })).toEqual([event]);
  expect(await send(requestFloor(), { isDelegated: true })).toEqual([requestFloor()]);
});

test("the delegation flag of the floor decides whether an event is delegated", async () => {
  const send = stage(returning);
  expect(await send(words, { isDelegated: true, floorGranted: [ann] })).toEqual([words]);
  expect(await send(words, { isDelegated: false })).toEqual([]);
});

test("without a flag of the floor, the table of section 2.2 decides", async () => {
  const send = stage(returning);
  expect(await send(words)).toEqual([words]);
  expect(await send(words, { floorGranted: [ann] })).toEqual([]);
});

test("an agent that is not the convener does not decide", async () => {
  const send = stage(returning);
  expect(await send(requestFloor(), { convener: ann, isDelegated: true })).toEqual([]);
});

test("a convener without the floor may speak", async () => {
  const overhearing: Partial<Handlers<object>> = { onUtterance: () => "order, please" };
  expect(await stage(overhearing)(words, { convener: ann })).toEqual([]);
  expect(await stage(overhearing)(words)).toMatchObject([{ eventType: "utterance" }]);
});
