// Roles that an invite names (1.1.1), with agents that accept and reject them.
import { afterEach, beforeEach, expect, test } from "vitest";
import { ann } from "../support/envelopes.ts";
import { type Agent, type Heard, silent, startAgent } from "../support/http-agent.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";
import { startAgentThatRejectsRoles, startArchivist } from "./expected-roles.ts";

let floor: TestFloor;
beforeEach(async () => {
  floor = await startTestFloor();
  await floor.call("POST", "/api/v1/conversations", { id: "c", owner: { identification: { speakerUri: ann } } });
});
afterEach(async () => {
  await floor.close();
  expect(floor.errors).toEqual([]);
});

const invite = ({ url }: Agent, ...expectedFloorRoles: string[]) =>
  floor.send("c", [{ eventType: "invite", to: { serviceUrl: url }, parameters: { expectedFloorRoles } }]);
const roles = async () => (await floor.state("c")).assignedFloorRoles;
const role = (body: object) => floor.call("POST", "/api/v1/conversations/c/role", body);
const rolesIn = ({ body }: Heard) => {
  return (body.openFloor as { conversation: { assignedFloorRoles?: object } }).conversation.assignedFloorRoles;
};

test("an agent that accepts an invite for a role gets the role, and everyone is notified", async () => {
  const archivist = await startArchivist();
  await invite(archivist, "archivist");
  expect(await roles()).toEqual({ owner: [ann], archivist: [archivist.speakerUri] });
  await floor.say("c", "hello");
  expect(archivist.heard.map(rolesIn)).toContainEqual({ owner: [ann], archivist: [archivist.speakerUri] });
  await floor.send("c", [{ eventType: "uninvite", to: { speakerUri: archivist.speakerUri } }]);
  expect(await roles()).toEqual({ owner: [ann] });
});

test("an agent that rejects roles has none", async () => {
  const agent = await startAgentThatRejectsRoles();
  await invite(agent, "archivist");
  expect(await roles()).toEqual({ owner: [ann] });
});

test("the owner's invite makes a convener where there is none; an agent's invite does not", async () => {
  const [agent, convener] = [await startAgent(silent), await startArchivist()];
  await invite(agent);
  const events = [
    { eventType: "invite", to: { serviceUrl: convener.url }, parameters: { expectedFloorRoles: ["convener"] } },
  ];
  await floor.send("c", events, { as: agent.speakerUri });
  expect(await roles()).toEqual({ owner: [ann] });
  await floor.send("c", events);
  expect(await roles()).toEqual({ owner: [ann], convener: [convener.speakerUri] });
});

test("the owner assigns and removes the role of archivist", async () => {
  const agent = await startAgent(silent);
  await invite(agent);
  const { speakerUri } = agent;
  expect((await role({ role: "archivist", speakerUri })).status).toBe(200);
  expect(await roles()).toEqual({ owner: [ann], archivist: [speakerUri] });
  expect((await role({ role: "archivist", speakerUri, assigned: false })).status).toBe(200);
  expect(await roles()).toEqual({ owner: [ann] });
  expect((await role({ role: "convener", speakerUri })).body).toMatchObject({ because: "command/role/reserved" });
  expect((await role({ role: "archivist", speakerUri, assigned: "no" })).body).toMatchObject({ pointer: "/assigned" });
  expect((await role({ role: "archivist" })).status).toBe(400);
});
