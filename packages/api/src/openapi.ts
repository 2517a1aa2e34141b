import * as Type from "typebox";
import { createSchemaWriter } from "./json-schema.ts";
import { type Answer, needsCredential, type Operation, problemsOf, tags } from "./operation.ts";
import { operations } from "./operations.ts";
import { type ProblemCode, ProblemDocument, problemKind } from "./problems.ts";
import { type Described, shareComponents } from "./shared-components.ts";

type Write = ReturnType<typeof createSchemaWriter>["write"];
type Document = Record<string, unknown>;

/** The OpenAPI 3.1 document of a floor. */
export function openApi({ version, url }: { version: string; url: string }): Document {
  const { write, schemas } = createSchemaWriter();
  const all: Record<string, Record<string, Described>> = {};
  for (const [route, operation] of Object.entries<Operation>(operations)) {
    const { method, path } = placeOf(route);
    // `ALL /openfloor` only refuses other methods.
    if (operation.id === "refuseMethod") continue;
    all[path] = { ...all[path], [method]: described(path, operation, write) };
  }
  const { paths, components } = shareComponents(all);
  return {
    openapi: "3.1.0",
    info: {
      title: "Plenary",
      version,
      summary: "A floor manager for Open Floor 1.1.0.",
      description: "Sockets and event streams: /asyncapi.json.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url, description: "This floor." }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "The operator's token, a key, a page token or a guest token.",
        },
      },
      ...components,
      schemas: schemas(),
    },
  };
}

/** `GET /a/:b` -> get, /a/{b}. Hosted agents take all methods and answer to POST. */
function placeOf(route: string) {
  const [method = "", path = ""] = route.split(" ");
  return { method: method.replace("ALL", "POST").toLowerCase(), path: path.replace(/:(\w+)/gu, "{$1}") };
}

function described(path: string, operation: Operation, write: Write): Described {
  const { id, tag, access, summary, description, query, headers = {}, body } = operation;
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/gu)].map(([, name = ""]) => ({
      name,
      in: "path",
      required: true,
      description: operation.path?.[name],
      schema: { type: "string" },
    })),
    ...(query === undefined ? [] : queryParameters(query, write)),
    ...Object.entries(headers).map(([name, text]) => ({
      name,
      in: "header",
      description: text,
      schema: { type: "string" },
    })),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${description === undefined ? "" : `${description}\n\n`}Who may: \`${access}\`.`,
    ...(!needsCredential(access) && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: operation.isBodyOptional !== true || hasRequired(body),
        content: { "application/json": { schema: write(body) } },
      },
    }),
    responses: { ...answers(operation, write), ...failures(operation, write) },
  };
}

/** Without a body, such a field is missing. */
function hasRequired({ required }: { required?: readonly string[] }): boolean {
  return required !== undefined && required.length > 0;
}

function queryParameters({ properties, required }: Type.TObject, write: Write) {
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = write(schema as Type.TSchema);
    return {
      name,
      in: "query",
      ...(description !== undefined && { description }),
      ...((required as readonly string[] | undefined)?.includes(name) && { required: true }),
      schema: rest,
    };
  });
}

function answers(operation: Operation, write: Write): Record<string, Document> {
  const all = Object.entries(operation.answers).map(([status, answer]) => [status, responseOf(answer, write)]);
  return Object.fromEntries(all);
}

function responseOf({ description, schema, events, type, headers }: Answer, write: Write): Document {
  const types = type === undefined ? (schema === undefined ? [] : ["application/json"]) : [type].flat();
  const written = (one: string) => {
    const body = one === "text/event-stream" ? events : schema;
    return body === undefined ? { type: "string" } : write(body);
  };
  return {
    description,
    ...(headers && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: "string" } }]),
      ),
    }),
    ...(types.length > 0 && { content: Object.fromEntries(types.map((one) => [one, { schema: written(one) }])) }),
  };
}

/** The problems of an operation: of the request (4XX) and of the floor (5XX). */
function failures(operation: Operation, write: Write): Record<string, Document> {
  const problem = { "application/problem+json": { schema: write(ProblemDocument) } };
  if (operation.errors !== undefined) {
    const { description, schema = Type.Unknown() } = operation.errors;
    // A request that is refused before it is read gets a problem document on every path.
    return { default: { description, content: { "application/json": { schema: write(schema) }, ...problem } } };
  }
  const codes = [...problemsOf(operation)].sort();
  const range = (from: number) => ({ description: codesByStatus(codes, from), content: problem });
  return { "4XX": range(400), "5XX": range(500) };
}

/** One line for each status of the hundred. */
function codesByStatus(codes: readonly ProblemCode[], from: number): string {
  const lines = new Map<number, string>();
  for (const code of codes) {
    const { status, otherStatuses = [] } = problemKind(code);
    for (const one of [status, ...otherStatuses].filter((each) => each >= from && each < from + 100)) {
      const line = lines.get(one);
      lines.set(one, line === undefined ? `- ${one} \`${code}\`` : `${line}, \`${code}\``);
    }
  }
  return [...lines]
    .sort(([a], [b]) => a - b)
    .map(([, line]) => line)
    .join("\n");
}
