import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, eventTypes, said, textOf, utterance } from "../support/envelopes.ts";
import { type Agent, answer, type Behaviour, eventsIn, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { createGate } from "../support/wait-for.ts";

let floor: TestFloor;
beforeEach(async () => {
  floor = await startTestFloor();
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

async function convened(convener: Agent, convenerDeadlineMs = 10_000): Promise<void> {
  const owner = { identification: { speakerUri: ann, conversationalName: "Ann" } };
  const made = await floor.call("POST", "/api/v1/conversations", {
    id: "c",
    owner,
    convener: convener.url,
    convenerDeadlineMs,
  });
  expect(made.status).toBe(201);
  await floor.until("c", (all) => all.some(({ kind, role }) => kind === "role" && role === "convener"));
}

/** Returns each delegated event unchanged. */
const returning: Behaviour = (heard, me) => {
  const delegated = eventsIn(heard).filter(({ eventType }) =>
    ["requestFloor", "invite", "utterance"].includes(eventType),
  );
  const isInvited = eventsIn(heard).some(({ eventType, to }) => eventType === "invite" && to?.serviceUrl === me.url);
  return answer(heard, me, ...(isInvited ? [{ eventType: "acceptInvite" }] : delegated));
};

test("a convener named at the start gets the role, and an event that it returns unchanged keeps its sender", async () => {
  const convener = await startAgent(returning);
  await convened(convener);
  const agent = await startAgent(silent);
  await floor.invite("c", agent);
  const entries = await floor.log("c");
  const invite = entries.find(({ event, approvedBy }) => event?.eventType === "invite" && approvedBy !== undefined);
  expect(invite).toMatchObject({ sender: ann, approvedBy: convener.speakerUri });
  expect(agent.heard.length).toBeGreaterThan(0);
});

test("a convener that returns delegated events does not cause a loop", async () => {
  const convener = await startAgent(returning);
  await convened(convener);
  await floor.send("c", [{ eventType: "requestFloor" }]);
  const asked = convener.heard.flatMap(eventsIn).filter(({ eventType }) => eventType === "requestFloor");
  expect(asked).toHaveLength(1);
});

test("a slow convener delays its event until the deadline, and no other event", async () => {
  let isSlow = false;
  const late = createGate();
  const convener = await startAgent(async (heard, me) => {
    if (isSlow) await late.opened;
    return returning(heard, me);
  });
  await convened(convener, 1_000);
  await floor.call("POST", "/api/v1/conversations/c/seat", {
    identification: { speakerUri: "tag:people.example,2026:bob" },
  });
  isSlow = true;
  const parked = floor.send("c", [{ eventType: "requestFloor" }], { as: "tag:people.example,2026:bob" });
  await floor.until("c", (all) => all.some(({ kind }) => kind === "parked"));
  await floor.say("c", "meanwhile", { wait: 0 });
  await floor.until("c", (all) => all.some(({ because }) => because === "convener/deadline"));
  late.open();
  expect(eventTypes(await parked)).toContain("grantFloor");
  const entries = await floor.log("c");
  const meanwhile = entries.findIndex(({ kind, event }) => kind === "event" && textOf(event) === "meanwhile");
  const deadline = entries.findIndex(({ because }) => because === "convener/deadline");
  expect(meanwhile).toBeGreaterThan(0);
  expect(deadline).toBeGreaterThan(meanwhile);
});

test("a dead convener loses its role after two deadlines, and the floor continues", async () => {
  const convener = await startAgent(returning);
  await convened(convener);
  await convener.close();
  await floor.send("c", [{ eventType: "requestFloor" }]);
  await floor.send("c", [{ eventType: "requestFloor" }]);
  const { body } = await floor.call("GET", "/api/v1/conversations/c");
  expect(body.assignedFloorRoles).not.toHaveProperty("convener");
  const agent = await startAgent((heard, me) =>
    answer(heard, me, ...textsIn(heard).map((text) => utterance(me.speakerUri, text))),
  );
  await floor.invite("c", agent);
  expect(said(await floor.say("c", "still here?"))).toEqual([[agent.speakerUri, "still here?"]]);
});

test("the operator assigns and removes the role of convener", async () => {
  const agent = await startAgent(silent);
  await floor.invite("c", agent);
  const given = await floor.call("POST", "/api/v1/conversations/c/convener", { serviceUrl: agent.url });
  expect(given.body.assignedFloorRoles).toMatchObject({ convener: [agent.speakerUri] });
  const taken = await floor.call("POST", "/api/v1/conversations/c/convener", {});
  expect(taken.body.assignedFloorRoles).not.toHaveProperty("convener");
});
