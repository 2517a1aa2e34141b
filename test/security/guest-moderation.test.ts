// A guest cannot remove or silence what the owner invited, unless the owner allows it (D13').
import { createMemoryCredentials } from "@plenary/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann } from "../support/envelopes.ts";
import { closeAgents, silent, startAgent } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";

let floor: TestFloor;

beforeEach(async () => {
  floor = await startTestFloor({ credentials: createMemoryCredentials() });
});
afterEach(async () => {
  await floor.close();
  await closeAgents();
  expect(floor.errors).toEqual([]);
});

/** Ann's conversation with an agent that she invited, and a guest who joined by a link. */
async function visit(options: object = {}) {
  const owner = { identification: { speakerUri: ann } };
  expect((await floor.call("POST", "/api/v1/conversations", { id: "c", owner, ...options })).status).toBe(201);
  const anns = await startAgent(silent);
  await floor.invite("c", anns);
  const { link } = (await floor.call("POST", "/api/v1/conversations/c/links", {})).body as { link: string };
  const came = (await floor.call("POST", "/api/v1/guests", { invite: link.split("#invite=")[1] })).body;
  const { token, speakerUri } = came as { token: string; speakerUri: string };
  const headers = { authorization: `Bearer ${token}` };
  const send = (eventType: string, to: object) =>
    floor.send("c", [{ eventType, to }], { as: speakerUri, wait: 5, headers });
  const seated = async () => JSON.stringify((await floor.state("c")).conversants);
  return { anns, send, seated };
}

test.each(["uninvite", "revokeFloor"])(
  "a guest's %s of an agent that the owner invited is refused",
  async (eventType) => {
    const { anns, send, seated } = await visit();
    const { body } = await send(eventType, { speakerUri: anns.speakerUri });
    expect(body.refused).toMatchObject([{ because: "guard/guest", problem: expect.stringContaining("guestsMay") }]);
    expect(await seated()).toContain(anns.speakerUri);
  },
);

test("a guest may remove the agent that it invited itself", async () => {
  const { send, seated } = await visit();
  const own = await startAgent(silent);
  await send("invite", { serviceUrl: own.url });
  expect(await seated()).toContain(own.speakerUri);
  expect((await send("uninvite", { speakerUri: own.speakerUri })).body.refused).toBeUndefined();
  expect(await seated()).not.toContain(own.speakerUri);
});

test.each([{ guestsMay: "moderate" }, { policy: "spec" }])(
  "with %j a guest may remove the owner's agents",
  async (options) => {
    const { anns, send, seated } = await visit(options);
    expect((await send("uninvite", { speakerUri: anns.speakerUri })).body.refused).toBeUndefined();
    expect(await seated()).not.toContain(anns.speakerUri);
  },
);

test("a guest cannot appoint a convener", async () => {
  const { anns, seated } = await visit();
  const before = await seated();
  const { link } = (await floor.call("POST", "/api/v1/conversations/c/links", {})).body as { link: string };
  const { token } = (await floor.call("POST", "/api/v1/guests", { invite: link.split("#invite=")[1] })).body;
  const headers = { authorization: `Bearer ${token}` };
  const path = "/api/v1/conversations/c/convener";
  expect((await floor.call("POST", path, { serviceUrl: anns.url }, headers)).status).toBe(403);
  expect(await seated()).toContain(before.slice(1, 20));
});

test("an unknown value of the option for guests is refused", async () => {
  const { status, body } = await floor.call("POST", "/api/v1/conversations", { guestsMay: "rule" });
  expect([status, body.pointer]).toEqual([400, "/guestsMay"]);
});
