import { afterEach, beforeEach, expect, test } from "vitest";
import { ann, said, utterance } from "../support/envelopes.ts";
import { type Agent, echo, eventsIn, type Heard, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";
import { startAnswersEverythingIn10 } from "./answers-everything-in-1.0.ts";
import { startAssistantOf09 } from "./assistant-of-0.9.ts";
import { startOlderListener } from "./listens-in-an-older-dialect.ts";

let floor: TestFloor;

beforeEach(async () => {
  floor = await startTestFloor();
});

afterEach(() => floor.close());

/** The envelopes that the agent could read and that contain an utterance. */
function understood({ heard }: Agent, version: string): Heard[] {
  return heard.filter(({ text, ...one }) => text.includes(`"${version}"`) && textsIn({ text, ...one }).length > 0);
}

for (const version of ["1.0.0", "0.9.3"] as const) {
  test(`a ${version} agent gets public utterances to others, with their addressee, and no whisper`, async () => {
    const older = await startOlderListener(version);
    const parrot = await startAgent(echo);
    await floor.invite("c", older);
    await floor.invite("c", parrot);
    const to = { speakerUri: parrot.speakerUri };
    await floor.send("c", [
      utterance(ann, "psst", { to: { ...to, private: true } }),
      utterance(ann, "parrot?", { to }),
    ]);
    await floor.send("c", [utterance(ann, "parrot again?", { to: { serviceUrl: parrot.url } })]);
    await expect.poll(() => understood(older, version).flatMap(textsIn)).toContain("echo parrot again?");
    const heard = understood(older, version);
    expect(heard.flatMap(textsIn)).not.toContain("psst");
    const question = heard.find((one) => textsIn(one).includes("parrot?"));
    const addressee = question && eventsIn(question).map((event) => (event as { to?: unknown }).to);
    expect(JSON.stringify(addressee)).toContain(version === "0.9.3" ? parrot.url : parrot.speakerUri);
  });
}

test("a 0.9 agent that signs with another spelling of its address keeps the name it was invited by", async () => {
  const { speakerUri, url } = await startAssistantOf09();
  await floor.send("c", [{ eventType: "invite", to: { speakerUri, serviceUrl: url } }]);
  expect(said(await floor.say("c", "hello"))).toEqual([[speakerUri, "You said hello"]]);
  const { conversants } = await floor.state("c");
  expect(conversants[1]).toMatchObject({ identification: { speakerUri, serviceUrl: url }, dialect: "0.9" });
});

test("a 0.9 agent that is removed gets nothing that it cannot read", async () => {
  const { speakerUri, url, heard } = await startAssistantOf09();
  const invite = { eventType: "invite", to: { speakerUri, serviceUrl: url } };
  await floor.send("c", [invite]);
  await floor.say("c", "hello");
  const before = heard.length;
  await floor.send("c", [{ eventType: "uninvite", to: { speakerUri } }]);
  // Deliveries to one address keep their order.
  expect(said(await floor.send("c", [invite]))).toEqual([[speakerUri, "I am ready to assist"]]);
  expect(heard.slice(before).filter(({ body }) => body.ovon === undefined)).toEqual([]);
});

test("a 1.0 agent whose manifest has the form of 0.9 is known by its name", async () => {
  const agent = await startAnswersEverythingIn10();
  expect(said(await floor.invite("c", agent))).toEqual([[agent.speakerUri, "I am Athena"]]);
  const identification = { speakerUri: agent.speakerUri, serviceUrl: agent.url, conversationalName: "Athena" };
  await expect
    .poll(async () => (await floor.state("c")).conversants[1], patience)
    .toMatchObject({ identification, dialect: "1.0" });
});
