// Foreign conveners: what they return, what they leave out, and those that do not convene at all.
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, utterance } from "../support/envelopes.ts";
import { type Agent, eventsIn, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { startConvenerThatFillsInAddresses } from "./convener-fills-in-addresses.ts";
import { startConvenerThatRedactsHistory } from "./convener-redacts-history.ts";
import { startOrdinaryAgent } from "./ordinary-agent-as-convener.ts";

let floor: TestFloor;
beforeEach(async () => {
  floor = await startTestFloor();
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

async function convened(convener: Agent): Promise<void> {
  const owner = { identification: { speakerUri: ann } };
  await floor.call("POST", "/api/v1/conversations", { id: "c", owner, convener: convener.url });
  await floor.until("c", (entries) => entries.some(({ kind, role }) => kind === "role" && role === "convener"));
}

const events = async (eventType: string) =>
  (await floor.log("c", ann)).filter(({ kind, event }) => kind === "event" && event?.eventType === eventType);
const refusals = async () => (await floor.log("c", ann)).filter(({ kind }) => kind === "refused");

test("a convener whose library fills in addresses returns the event of its sender, not an event of its own", async () => {
  const convener = await startConvenerThatFillsInAddresses();
  await convened(convener);
  const agent = await startAgent(silent);
  await floor.invite("c", agent);
  expect((await events("invite")).at(-1)).toMatchObject({ sender: ann, approvedBy: convener.speakerUri });
  const to = { speakerUri: agent.speakerUri };
  for (const eventType of ["revokeFloor", "grantFloor", "uninvite"]) {
    await floor.send("c", [{ eventType, to }]);
    const [entry] = (await events(eventType)).slice(-1);
    expect(entry, eventType).toMatchObject({ sender: ann, approvedBy: convener.speakerUri, event: { to } });
  }
  expect(await refusals()).toEqual([]);
});

const dialogEvent = (id: string, value: string) => ({
  id,
  speakerUri: ann,
  span: { startTime: "2026-01-01T00:00:00Z" },
  features: { text: { mimeType: "text/plain", tokens: [{ value }] } },
});

test("a convener sees the history for the invitee and may remove lines, but neither add nor change any", async () => {
  const convener = await startConvenerThatRedactsHistory("CONFIDENTIAL");
  await convened(convener);
  const agent = await startAgent(silent);
  const dialogHistory = [dialogEvent("h1", "hello"), dialogEvent("h2", "CONFIDENTIAL"), dialogEvent("h3", "bye")];
  const invite = { eventType: "invite", to: { serviceUrl: agent.url }, parameters: { dialogHistory } };
  await floor.send("c", [invite]);
  const asked = convener.heard.flatMap(eventsIn).filter(({ parameters }) => parameters?.dialogHistory !== undefined);
  expect(asked.map(({ parameters }) => parameters)).toMatchObject([{ dialogHistory }]);
  const [invited] = agent.heard.flatMap(eventsIn).filter(({ eventType }) => eventType === "invite");
  expect(invited?.parameters).toMatchObject({ dialogHistory: [dialogHistory[0], dialogHistory[2]] });
  expect(invited?.parameters?.dialogHistory).toHaveLength(2);
  expect(JSON.stringify(agent.heard)).not.toMatch(/CONFIDENTIAL|CHANGED|ADDED/u);
});

test("a convener gets no whisper of the history, and its answer removes none", async () => {
  const convener = await startConvenerThatRedactsHistory("nothing");
  await convened(convener);
  const agent = await startAgent(silent);
  await floor.invite("c", agent);
  const { speakerUri } = agent;
  await floor.send("c", [utterance(ann, "CANARY", { to: { speakerUri, private: true }, id: "w1" })]);
  await floor.send("c", [{ eventType: "uninvite", to: { speakerUri } }]);
  const dialogHistory = [dialogEvent("w1", "CANARY"), dialogEvent("h1", "hello")];
  await floor.send("c", [
    { eventType: "invite", to: { speakerUri, serviceUrl: agent.url }, parameters: { dialogHistory } },
  ]);
  expect(JSON.stringify(convener.heard)).not.toContain("CANARY");
  const invited = agent.heard.flatMap(eventsIn).filter(({ eventType }) => eventType === "invite");
  expect(invited.at(-1)?.parameters).toMatchObject({ dialogHistory: [{ id: "w1" }, { id: "h1" }] });
});

test("an owner's invite that the convener does not return is reported with the convener's name, whatever it answers", async () => {
  for (const words of [undefined, "Nice to meet you"]) {
    const convener = await startOrdinaryAgent(words);
    await convened(convener);
    const agent = await startAgent(silent);
    await floor.invite("c", agent);
    const [refusal] = await refusals();
    expect(refusal).toMatchObject({
      because: "2.2/convener-dropped",
      problem: `${convener.speakerUri} did not pass on your invite of ${agent.url}`,
      event: { eventType: "invite" },
    });
    expect(agent.heard).toEqual([]);
    await floor.close();
    floor = await startTestFloor();
  }
});

test("after three unreturned events in a row the owner sees that the convener seems not to convene", async () => {
  const convener = await startOrdinaryAgent("Nice to meet you");
  await convened(convener);
  const agent = await startAgent(silent);
  for (let times = 0; times < 3; times += 1) await floor.invite("c", agent);
  expect((await refusals()).map(({ because }) => because)).toEqual([
    "2.2/convener-dropped",
    "2.2/convener-dropped",
    "convener/seems-idle",
  ]);
  expect((await refusals()).at(-1)?.problem).toContain("seems not to convene");
  // After one command the owner's event takes effect.
  await floor.call("POST", "/api/v1/conversations/c/convener", {});
  await floor.invite("c", agent);
  expect((await events("invite")).at(-1)).toMatchObject({ because: "2.2/invite/no-convener" });
  await floor.say("c", "hello");
  expect(agent.heard.flatMap(textsIn)).toContain("hello");
});
