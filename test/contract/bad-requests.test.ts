// Every operation of hosts refuses a request with an unknown field or a wrong value, and changes nothing.
import { type Operation, operations } from "@plenary/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ann } from "../support/envelopes.ts";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";

let floor: TestFloor;
let before: unknown;

const everything = async () => ({
  count: await floor.store.log.count(),
  state: await floor.state("c1"),
  agents: (await floor.get("/api/v1/agents")).body,
  links: (await floor.get("/api/v1/conversations/c1/links")).body,
});

beforeAll(async () => {
  floor = await startTestFloor();
  await floor.openConversation("c1", [ann]);
  before = await everything();
});
afterAll(async () => {
  expect(await everything()).toEqual(before);
  await floor.close();
});

type Schema = { type?: string; properties?: Record<string, Schema>; required?: readonly string[]; enum?: unknown };

/** Right values of mandatory fields. */
const samples: Record<string, unknown> = {
  speakerUri: "tag:x.example,2026:x",
  serviceUrl: "http://127.0.0.1:9/",
  identification: { speakerUri: "tag:x.example,2026:x" },
  role: "archivist",
  allow: true,
  seq: 1,
  invite: "x",
  text: "x",
  format: "jsonl",
  url: "http://127.0.0.1:9/",
};

const hostOperations = Object.entries<Operation>(operations).flatMap(([route, operation]) => {
  const [method = "", path = ""] = route.split(" ");
  return path.startsWith("/api/v1/")
    ? [{ method, path: path.replaceAll(/:\w+/gu, "c1"), id: operation.id, operation }]
    : [];
});

const fieldsOf = (schema: unknown) => Object.entries((schema as Schema | undefined)?.properties ?? {});
const mandatoryOf = (schema: unknown) =>
  Object.fromEntries(((schema as Schema | undefined)?.required ?? []).map((name) => [name, samples[name]]));
const queryOf = (values: Record<string, unknown>) => new URLSearchParams(values as Record<string, string>).toString();

const withBody = hostOperations.filter(({ operation }) => operation.body !== undefined);

test("every operation of hosts with a body is in the table", () => expect(withBody.length).toBeGreaterThan(15));

describe.each(withBody)("the body of $id", ({ method, path, operation: { body } }) => {
  const fields = fieldsOf(body);
  const [first] = fields[0] ?? [];

  test("an unknown field is refused, with the nearest name", async () => {
    const name = `${first ?? "none"}x`;
    const answered = await floor.call(method, path, { ...mandatoryOf(body), [name]: "x" });
    expect(answered).toMatchObject({ status: 400, body: { pointer: `/${name}` } });
    expect(answered.body.fix).toBe(first === undefined ? "this request has no fields" : `rename it to ${first}`);
  });

  for (const [name, { type }] of fields) {
    test(`a wrong type of ${name} is refused`, async () => {
      const wrong = type === "boolean" ? 7 : true;
      const answered = await floor.call(method, path, { ...mandatoryOf(body), [name]: wrong });
      expect(answered).toMatchObject({ status: 400, body: { pointer: `/${name}`, detail: expect.any(String) } });
    });
  }
});

describe.each(hostOperations)("the query of $id", ({ method, path, operation: { query, body } }) => {
  const fields = fieldsOf(query);
  const [first] = fields[0] ?? [];
  const call = (values: Record<string, unknown>) =>
    floor.call(method, `${path}?${queryOf({ ...mandatoryOf(query), ...values })}`, body && mandatoryOf(body));

  test("an unknown parameter is refused, with the nearest name", async () => {
    const name = `${first ?? "none"}x`;
    const answered = await call({ [name]: "x" });
    expect(answered).toMatchObject({ status: 400, body: { detail: expect.stringContaining(name) } });
    expect(answered.body.fix).toBe(
      first === undefined ? "this request has no query parameters" : `rename it to ${first}`,
    );
  });

  for (const [name, schema] of fields.filter(([, { type, enum: values }]) => type === "integer" || values)) {
    test(`a wrong value of ${name} is refused`, async () => {
      const detail = expect.stringContaining(`the query parameter ${name}: `);
      expect(await call({ [name]: "?" }), JSON.stringify(schema)).toMatchObject({ status: 400, body: { detail } });
    });
  }
});
