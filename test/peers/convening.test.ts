// Each of our conveners on foreign floors, which do not publish who convenes.
import { agentNames } from "@plenary/agents";
import { describe, expect, test } from "vitest";
import { utterance } from "../support/envelopes.ts";
import { DelegatingFloor, type Manner, uri, type WireEvent } from "./delegating-floor.ts";
import { serve, serveNamed } from "./served-agents.ts";

const conveners = agentNames.filter((name) => name.startsWith("convener-"));

async function open(name: string, manner?: Manner) {
  const floor = new DelegatingFloor(await serveNamed(name), manner);
  const accepted = await floor.open(["zoe", "yan", "bot"]);
  return { floor, accepted };
}

const types = (events: readonly WireEvent[]) => events.map(({ eventType }) => eventType);
const inviteOf = (name: string): WireEvent => ({ eventType: "invite", to: { serviceUrl: `https://${name}.example/` } });
const aimedAt = (eventType: string, name: string): WireEvent => ({ eventType, to: { speakerUri: uri(name) } });
const says = (name: string, text: string, id: string) => utterance(uri(name), text, { id }) as WireEvent;
const idIn = ({ parameters }: WireEvent) => (parameters?.dialogEvent as { id?: string } | undefined)?.id;

test("the list of conveners is not empty", () => {
  expect(conveners.length).toBeGreaterThanOrEqual(6);
});

describe.each([
  ["publishes no roles", {}],
  ["expects the convener by its invite", { expectedFloorRoles: ["convener"] }],
  [
    "expects it, and publishes other roles",
    { expectedFloorRoles: ["convener"], assignedFloorRoles: { archivist: [] } },
  ],
] as [string, Manner][])("a floor that %s", (_, manner) => {
  test.each(conveners)("has invites and uninvites decided by %s", async (name) => {
    const { floor, accepted } = await open(name, manner);
    expect(types(accepted)).toEqual(["acceptInvite"]);
    expect(await floor.take("zoe", inviteOf("owl"))).toContainEqual({ by: uri("zoe"), event: inviteOf("owl") });
    const uninvite = aimedAt("uninvite", "bot");
    expect(await floor.take("zoe", uninvite)).toContainEqual({ by: uri("zoe"), event: uninvite });
  });

  test.each(conveners)("has requestFloor and utterances without the floor decided by %s", async (name) => {
    const { floor } = await open(name, manner);
    await floor.take("yan", { eventType: "yieldFloor" });
    await floor.take("bot", { eventType: "yieldFloor" });
    await floor.take("zoe", { eventType: "yieldFloor" });
    await floor.take("yan", { eventType: "requestFloor" });
    const speakers = floor.granted.filter((one) => one !== uri("zoe") && !one.includes("convener"));
    expect(speakers.length).toBeGreaterThan(0);
    const words = says("zoe", "one more thing", `kept-${name}`);
    floor.granted = floor.granted.filter((one) => one !== uri("zoe"));
    await floor.take("zoe", words);
    for (const speaker of ["yan", "bot"]) {
      if (floor.granted.includes(uri(speaker))) await floor.take(speaker, { eventType: "yieldFloor" });
    }
    const heard = floor.passed.filter(({ event }) => idIn(event) === `kept-${name}`);
    expect(heard.map(({ event }) => event.parameters)).toEqual([words.parameters]);
  });
});

test("a convener that is uninvited by its address leaves, and convenes no more", async () => {
  const url = await serveNamed("convener-open");
  const floor = new DelegatingFloor(url);
  await floor.open(["zoe", "yan"]);
  expect(await floor.take("zoe", { eventType: "uninvite", to: { serviceUrl: url } })).toEqual([]);
  expect(await floor.take("yan", { eventType: "requestFloor" })).toEqual([]);
});

test("our convener is silent where another conversant convenes", async () => {
  const { floor } = await open("convener-open", { assignedFloorRoles: { convener: [uri("zoe")] } });
  expect(await floor.take("yan", { eventType: "requestFloor" })).toEqual([]);
});

test("a floor that publishes roles without a convener has none, unless its invite expected one", async () => {
  const { floor } = await open("convener-open", { assignedFloorRoles: { owner: [uri("zoe")] } });
  expect(await floor.take("yan", { eventType: "requestFloor" })).toEqual([]);
});

test.each([
  ["Scribe", ["archivist"], "acceptInvite"],
  ["Scribe", ["convener"], "declineInvite"],
  ["Scribe", ["archivist", "convener"], "declineInvite"],
  ["Discovery", ["discovery"], "acceptInvite"],
  ["Clock", ["archivist"], "declineInvite"],
  ["Guide", ["convener"], "declineInvite"],
  ["Stub", ["convener"], "declineInvite"],
  ["Flow", ["convener"], "declineInvite"],
] as const)("%s with the expected role %s answers %s", async (name, expectedFloorRoles, answer) => {
  const floor = new DelegatingFloor(await serve(name), { expectedFloorRoles: [...expectedFloorRoles] });
  const [first, ...others] = await floor.open(["zoe"]);
  expect(first?.eventType).toBe(answer);
  if (answer === "declineInvite") expect([first?.reason, others]).toEqual(["@roleRejected", []]);
});
