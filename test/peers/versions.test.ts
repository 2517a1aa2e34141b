import { afterAll, beforeAll, expect, test } from "vitest";
import { type Heard, silent, startAgent } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";

let floor: TestFloor;
beforeAll(async () => {
  floor = await startTestFloor();
});
afterAll(() => floor.close());

const versionIn = (heard: Heard | undefined) => {
  const openFloor = heard?.body.openFloor as { schema: { version: string } } | undefined;
  return openFloor?.schema.version;
};

test("an agent gets 1.1.1 where an invite expects roles, and 1.1.0 otherwise", async () => {
  const agent = await startAgent(silent);
  const to = { serviceUrl: agent.url };
  await floor.send("versions", [{ eventType: "invite", to, parameters: { expectedFloorRoles: ["timekeeper"] } }]);
  await floor.say("versions", "hello");
  const invite = agent.heard.find(({ text }) => text.includes('"expectedFloorRoles"'));
  const words = agent.heard.find(({ text }) => text.includes('"hello"'));
  expect([versionIn(invite), versionIn(words)]).toEqual(["1.1.1", "1.1.0"]);
});
