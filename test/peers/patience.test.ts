// D23': an agent may think for two minutes, or as long as the floor or the conversation allows; people see that it thinks.
import { afterEach, expect, test } from "vitest";
import { ann, textOf } from "../support/envelopes.ts";
import { closeAgents, startAgent } from "../support/http-agent.ts";
import { hasty, startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";
import { thinksLong } from "./thinks-long.ts";

let floor: TestFloor | undefined;
afterEach(async () => {
  await floor?.close();
  expect(floor?.errors ?? []).toEqual([]);
  floor = undefined;
  await closeAgents();
});

async function open(id: string, more: object = {}): Promise<void> {
  const owner = { identification: { speakerUri: ann } };
  expect((await floor?.call("POST", "/api/v1/conversations", { id, owner, ...more }))?.status).toBe(201);
}

test("a conversation with a longer deadline gets the answer of an agent that other conversations gave up", async () => {
  floor = await startTestFloor({ deliveryLimits: hasty });
  const [slow, other] = [thinksLong(), thinksLong()];
  const [patient, hurried] = [await startAgent(slow.behaviour), await startAgent(other.behaviour)];
  await open("patient", { agentTimeoutMs: 60_000 });
  await floor.invite("patient", patient);
  await floor.invite("hurried", hurried);
  await floor.say("patient", "life", { wait: 0 });
  await floor.say("hurried", "life", { wait: 0 });
  await floor.until("hurried", (entries) => entries.some(({ because }) => because === "delivery/timeout"));
  // It has thought for longer than the floor's deadline, and is still shown as working.
  const { awaited, conversants } = await floor.state("patient");
  expect(awaited).toEqual([patient.speakerUri]);
  expect(conversants.find(({ kind }) => kind === "agent")).toMatchObject({ misses: 0 });
  slow.release();
  const entries = await floor.until("patient", (all) => all.some(({ sender }) => sender === patient.speakerUri));
  expect(entries.some(({ kind }) => kind === "missed")).toBe(false);
  await expect
    .poll(async () => (await floor?.log("patient", ann))?.map(({ event }) => textOf(event)), patience)
    .toContain("I thought about life");
});

test("the deadline of a conversation also applies to its invites", async () => {
  floor = await startTestFloor({ deliveryLimits: hasty });
  const [slow, other] = [thinksLong({ onInvite: true }), thinksLong({ onInvite: true })];
  const [patient, hurried] = [await startAgent(slow.behaviour), await startAgent(other.behaviour)];
  await open("patient", { agentTimeoutMs: 60_000 });
  await floor.invite("patient", patient, { wait: 0 });
  await floor.invite("hurried", hurried, { wait: 0 });
  await floor.until("hurried", (all) => all.some(({ event }) => event?.eventType === "declineInvite"));
  slow.release();
  const entries = await floor.until("patient", (all) => all.some(({ event }) => event?.eventType === "utterance"));
  expect(entries.some(({ event }) => event?.eventType === "declineInvite")).toBe(false);
});

test("an invalid deadline is refused with the name of the option, and a valid one is shown", async () => {
  floor = await startTestFloor();
  const ask = (agentTimeoutMs: unknown) => floor?.call("POST", "/api/v1/conversations", { agentTimeoutMs });
  for (const wrong of [0, -1, 1.5, "60", 86_400_001]) {
    expect(await ask(wrong)).toMatchObject({ status: 400, body: { pointer: "/agentTimeoutMs" } });
  }
  const options = { agentTimeoutMs: 6_000 };
  expect(await ask(6_000)).toMatchObject({ status: 201, body: { conversation: { options } } });
});
