import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { bodyFault } from "./check.ts";
import { openApi } from "./openapi.ts";
import { type Operation, problemsOf } from "./operation.ts";
import { operations } from "./operations.ts";
import { problems } from "./problems.ts";

type Json = { [key: string]: Json };

const document = openApi({ version: "1.2.3", url: "https://floor.example" }) as Json;
const at = (reference: string) =>
  reference
    .slice("#/".length)
    .split("/")
    .reduce<Json | undefined>((value, key) => value?.[key], document);
const resolved = (value: Json) => (typeof value.$ref === "string" ? at(value.$ref) : value);

test("every reference has a target, and every shared component is referred to", () => {
  const references = new Set(JSON.stringify(document).match(/#\/components\/[\w./-]+/gu));
  for (const reference of references) expect([reference, typeof at(reference)]).toEqual([reference, "object"]);
  const { securitySchemes, ...shared } = document.components as Json;
  const names = Object.entries(shared).flatMap(([kind, all]) =>
    Object.keys(all).map((name) => `#/components/${kind}/${name}`),
  );
  expect(names.filter((name) => !references.has(name))).toEqual([]);
});

test("every operation names each of its problems with the status", () => {
  const described = Object.values(document.paths as Json).flatMap((methods) => Object.values(methods));
  for (const operation of Object.values<Operation>(operations)) {
    const { responses } = described.find(({ operationId }) => String(operationId) === operation.id) ?? {};
    if (responses === undefined || operation.errors !== undefined) continue;
    for (const code of problemsOf(operation)) {
      const { status } = problems[code];
      const { description } = resolved(responses[status < 500 ? "4XX" : "5XX"] ?? {}) ?? {};
      const line = String(description)
        .split("\n")
        .find((one) => one.startsWith(`- ${status} `));
      expect([operation.id, line]).toEqual([operation.id, expect.stringContaining(`\`${code}\``)]);
    }
  }
});

const withBody = Object.values<Operation>(operations).filter(({ body }) => body !== undefined);

test.each(withBody.map((operation) => [operation.id, operation] as const))(
  "the body of %s has a right example",
  (_, one) => {
    const { examples = [] } = one.body as { examples?: readonly unknown[] };
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(bodyFault(one, example)).toBeUndefined();
  },
);

test("a body with a required field is required", () => {
  const body = (path: string) => resolved((document.paths as Json)[path]?.post?.requestBody ?? {})?.required;
  expect(body("/api/v1/conversations/{id}/erase")).toBe(true);
  expect(body("/api/v1/conversations/{id}/close")).toBe(false);
});

test("what the operations share is written once", () => {
  expect(JSON.stringify(document).length).toBeLessThan(140_000);
});

test("the common fields of entries are required of every kind", () => {
  const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
  const isEntry = ajv.compile({ $ref: "#/components/schemas/Entry", components: document.components });
  const entry = { seq: 1, at: "2026-11-18T12:00:00Z", turn: "t", because: "r", kind: "late", delivery: "d" };
  expect(isEntry(entry)).toBe(true);
  expect(isEntry({ ...entry, turn: undefined })).toBe(false);
  expect(isEntry({ ...entry, delivery: undefined })).toBe(false);
  expect(isEntry({ ...entry, kind: "unknown" })).toBe(false);
  expect(isEntry({ seq: 1, kind: "hidden" })).toBe(true);
});
