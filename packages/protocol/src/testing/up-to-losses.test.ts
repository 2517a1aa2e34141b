import { expect, test } from "vitest";
import type { Envelope } from "../model/envelope.ts";
import { upToLosses } from "./up-to-losses.ts";

const envelope: Envelope = {
  schema: { version: "1.1.0" },
  conversation: { id: "c1" },
  sender: { speakerUri: "urn:ann" },
  events: [
    { eventType: "requestFloor" },
    { eventType: "declineInvite" },
    { eventType: "bye", to: { speakerUri: "urn:bob" }, reason: "late" },
  ],
};
const bye: Envelope["events"][number] = { eventType: "bye" };
const lost = { path: "/openFloor/events/0", why: "" };
const replaced = { path: "/openFloor/events/1", why: "", becomes: "bye" };
const reason = { path: "/openFloor/events/2/reason", why: "" };
const last: Envelope["events"][number] = {
  eventType: "bye",
  to: { speakerUri: "urn:bob", private: false },
  parameters: {},
};
const received = { ...envelope, events: [bye, last] };

test("events are matched by order, without lost or replaced ones, and default values count as missing", () => {
  const { expected, actual, needless } = upToLosses(envelope, [lost, replaced, reason], received);
  expect(actual).toEqual(expected);
  expect(needless).toEqual([]);
});

test("a loss that was not reported makes a difference", () => {
  for (const losses of [[lost, replaced], [replaced, reason], [lost, reason], []]) {
    const { expected, actual } = upToLosses(envelope, losses, received);
    expect(actual).not.toEqual(expected);
  }
});

test("a replacement by another event than reported makes a difference", () => {
  const { expected, actual } = upToLosses(envelope, [lost, { ...replaced, becomes: "invite" }, reason], received);
  expect(actual).not.toEqual(expected);
});

test("an additional event makes a difference", () => {
  const { expected, actual } = upToLosses(envelope, [lost, replaced, reason], {
    ...received,
    events: [bye, last, bye],
  });
  expect(actual).not.toEqual(expected);
});

test("a loss that is reported although nothing was lost is listed as needless", () => {
  const id = { path: "/openFloor/conversation/id", why: "" };
  expect(upToLosses(envelope, [lost, replaced, reason, id], received).needless).toEqual([id]);
});
