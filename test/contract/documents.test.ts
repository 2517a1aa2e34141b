// The documents of a floor are valid, and a generator makes types of every answer of them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv } from "ajv";
import openapiTypes, { astToString, type OpenAPI3 } from "openapi-typescript";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestFloor, type TestFloor } from "../support/start-test-floor.ts";

let floor: TestFloor;
beforeAll(async () => {
  floor = await startTestFloor();
});
afterAll(() => floor.close());

type Responses = Record<string, { content?: Record<string, unknown> }>;
type Document = { paths: Record<string, Record<string, { operationId: string; responses: Responses }>> };

const openApi = async () => (await floor.get("/openapi.json")).body as unknown as Document;

test("/openapi.json is valid OpenAPI 3.1", async () => {
  expect(await new Validator().validate(await openApi())).toEqual({ valid: true });
});

test("/asyncapi.json is valid AsyncAPI 3.0", async () => {
  const { body } = await floor.get("/asyncapi.json");
  const schema = fileURLToPath(import.meta.resolve("@asyncapi/specs/schemas/3.0.0-without-$id.json"));
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const isValid = ajv.compile(JSON.parse(readFileSync(schema, "utf8")));
  isValid(body);
  expect(isValid.errors).toBeNull();
});

/** Operations whose success has no JSON: no body, a file, a page, a stream or a redirect. */
const withoutJson = [
  "exportConversation",
  "revokeLink",
  "forgetAgent",
  "followEvents",
  "openSocket",
  "endSession",
  "login",
  "finishLogin",
  "logout",
  "openNemoSocket",
  "answerInteraction",
  "getResponse",
  "isAlive",
  "isReady",
  "getMetrics",
  "getApiReference",
  "getApiReferenceFile",
  "getPage",
  "getPageFile",
  "getIcon",
  "getWidget",
  "deleteWebhook",
];

const judge = `import type { operations } from "./floor.ts";
type Ok<R> = { [S in keyof R]: S extends 200 | 201 | 202 ? (R[S] extends { content: { "application/json": infer B } } ? B : never) : never }[keyof R];
type Typed<B> = [B] extends [never] ? false : unknown extends B ? false : [B] extends [Record<string, never>] ? false : true;
type Judged = { [Id in keyof operations]: Typed<Ok<operations[Id]["responses"]>> };
export type Untyped = { [Id in keyof Judged]: Judged[Id] extends true ? never : Id }[keyof Judged];
`;

/** What programs do with entries and frames: each kind has its own fields, beside the common ones. */
const reader = `import type { components, operations } from "./floor.ts";
type Log = operations["readLog"]["responses"][200]["content"]["application/json"];
export function read({ entries }: Log): (string | number | undefined)[] {
  return entries.map((entry) => {
    if (entry.kind === "hidden") return entry.seq;
    if (entry.kind === "seated") return entry.at + entry.seat.identification.speakerUri;
    if (entry.kind === "event") return entry.turn + entry.event.eventType;
    return entry.because;
  });
}
export const problem = (given: components["schemas"]["Problem"]): string => given.fix;
`;

test("openapi-typescript types the answer of every operation, and its file compiles", async () => {
  const document = await openApi();
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  const folder = mkdtempSync(join(tmpdir(), "plenary-types-"));
  try {
    writeFileSync(join(folder, "floor.ts"), astToString(await openapiTypes(document as unknown as OpenAPI3)));
    const listed = withoutJson.filter((id) => ids.includes(id)).map((id) => JSON.stringify(id));
    const same = `const same: [Untyped] extends [${listed.join(" | ")}] ? true : Untyped = true;\nexport { same };\n`;
    writeFileSync(join(folder, "judge.ts"), `${judge}${same}`);
    writeFileSync(join(folder, "reader.ts"), reader);
    expect(faultsIn(join(folder, "judge.ts"), join(folder, "reader.ts"))).toEqual([]);
    expect(ids.length).toBeGreaterThan(60);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function faultsIn(...files: string[]): string[] {
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}
