// A host may ask for lower limits of a conversation than the floor has, never for higher ones.
import { defaultOptions } from "@plenary/floor";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Json } from "../support/envelopes.ts";
import { type FloorWithRoles, speakerOf, startFloorWithRoles } from "./floor-with-roles.ts";

let withRoles: FloorWithRoles;

beforeEach(async () => {
  withRoles = await startFloorWithRoles({ hasConvener: false, options: { floorOptions: { conversantsMax: 12 } } });
});
afterEach(() => withRoles.close());

const begin = (role: "owner" | "operator", body: Json) => withRoles.call(role, "POST", "/api/v1/conversations", body);
const limits = Object.entries({ ...defaultOptions, conversantsMax: 12, agentTimeoutMs: 120_000 }).filter(
  (option): option is [string, number] => typeof option[1] === "number",
);

test("a host cannot raise a limit of the floor, and the error names the limit and who may raise it", async () => {
  expect(limits.length).toBeGreaterThan(8);
  for (const [name, max] of limits) {
    const { status, body } = await begin("owner", { id: `no-${name}`, [name]: max + 1 });
    expect([name, status]).toEqual([name, 403]);
    expect(body).toMatchObject({ type: "urn:plenary:problem:forbidden", pointer: `/${name}` });
    expect((body as Json).detail).toBe(`/${name}: at most ${max} on this floor; the operator may choose more`);
    expect((await withRoles.call("operator", "GET", `/api/v1/conversations/no-${name}`)).status).toBe(404);
  }
});

test("a host may ask for the limits of the floor or for lower ones", async () => {
  for (const [name, max] of limits) {
    expect([name, (await begin("owner", { [name]: max })).status]).toEqual([name, 201]);
    expect([name, (await begin("owner", { [name]: 1 })).status]).toEqual([name, 201]);
  }
});

test("a host cannot switch the guards off", async () => {
  const { status, body } = await begin("owner", { id: "free", policy: "spec" });
  expect([status, (body as Json).detail]).toEqual([
    403,
    "/policy: guarded on this floor; the operator may choose spec",
  ]);
  expect((await begin("owner", { policy: "guarded" })).status).toBe(201);
});

test("a host may ask for the spec policy on a floor that has it", async () => {
  await withRoles.close();
  withRoles = await startFloorWithRoles({ options: { floorOptions: { policy: "spec" } } });
  expect((await begin("owner", { policy: "spec" })).status).toBe(201);
});

test("the operator may choose any option, for others too", async () => {
  const owner = { identification: { speakerUri: speakerOf("owner") } };
  const { status, body } = await begin("operator", { owner, policy: "spec", conversantsMax: 5_000, turnDepthMax: 900 });
  expect(status).toBe(201);
  expect(body).toMatchObject({ conversation: { owner: speakerOf("owner") } });
});
