// Compares answers of a floor with the documents that it publishes: /openapi.json and /asyncapi.json.
import { asyncApi, openApi, operations, problemsOf } from "@plenary/api";
import { Ajv2020 } from "ajv/dist/2020.js";

const about = { version: "0", url: "http://floor.invalid" };
const http = openApi(about);
const streams = asyncApi(about);
const ajv = new Ajv2020({
  strict: false,
  formats: { uri: true, "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/ },
});
for (const [name, schema] of Object.entries({ ...http.components.schemas, ...streams.components.schemas })) {
  ajv.addSchema(closed(schema), name);
}

/** A field that no schema declares is a violation, where the schema does not say `additionalProperties: true`. */
function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(withoutCommon(schema)).map(([key, value]) => [key, closed(value)]));
  if (typeof copy.$ref === "string") copy.$ref = copy.$ref.split("/").at(-1);
  const isOpen = copy.additionalProperties !== undefined || copy.patternProperties !== undefined;
  return copy.type === "object" && !isOpen ? { ...copy, additionalProperties: false } : copy;
}

/** Each alternative of a union gets the fields that the document writes once for all of them. */
function withoutCommon(schema) {
  const { allOf: [common, { anyOf } = {}] = [], ...rest } = schema;
  if (anyOf === undefined) return schema;
  const whole = (one) => ({
    ...one,
    properties: { ...common.properties, ...one.properties },
    required: [...common.required, ...one.required],
  });
  return { ...rest, anyOf: anyOf.map(whole) };
}

const compiled = new Map();
/** Values that were valid a moment ago: all viewers of a conversation get the same texts. */
const valid = new Set();

function compiledFrom(schema) {
  const known = compiled.get(schema) ?? { check: ajv.compile(closed(schema)), id: compiled.size };
  compiled.set(schema, known);
  return known;
}

/** What is wrong with the JSON text; undefined if nothing is. */
function faultIn(schema, text) {
  const { check, id } = compiledFrom(schema);
  const key = `${id} ${text}`;
  if (valid.has(key)) return undefined;
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return "not JSON";
  }
  if (check(value)) {
    if (valid.size > 256) valid.clear();
    if (text.length < 65_536) valid.add(key);
    return undefined;
  }
  return phrase(check.errors);
}

/** Of a union, the branch that fits best has the error at the deepest place. */
function phrase(errors) {
  const depth = ({ instancePath, keyword }) => instancePath.split("/").length + (keyword === "anyOf" ? -0.5 : 0);
  const named = errors.filter(({ keyword }) => keyword !== "const" && keyword !== "required");
  const [first] = (named.length > 0 ? named : errors).toSorted((a, b) => depth(b) - depth(a));
  return `${first.instancePath} ${first.message} ${JSON.stringify(first.params)}`.slice(0, 300);
}

const routes = Object.entries(operations)
  .map(([route, operation]) => {
    const [method, path] = route.split(" ");
    const slash = path.startsWith("/agents/:") || path.startsWith("/openfloor/at/") ? "/?" : "";
    const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+")}${slash}$`);
    const place = http.paths[path.replace(/:(\w+)/g, "{$1}")];
    const declared = place?.[method === "ALL" ? "post" : method.toLowerCase()]?.responses ?? {};
    const responses = Object.fromEntries(Object.entries(declared).map(([status, one]) => [status, resolved(one)]));
    return { method, pattern, operation, responses, rank: path.split(":").length + (method === "ALL" ? 1 : 0) };
  })
  .sort((a, b) => a.rank - b.rank);

function resolved(response) {
  return response.$ref === undefined ? response : http.components.responses[response.$ref.split("/").at(-1)];
}

/** Problems are declared for a hundred of statuses. */
function declaredFor(responses, status) {
  return responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses.default;
}

/** The operation of a request; undefined for a path that no operation has. */
export function operationOf(method, path) {
  const asked = method === "HEAD" ? "GET" : method;
  return routes.find((one) => (one.method === asked || one.method === "ALL") && one.pattern.test(path));
}

const problem = { $ref: "#/components/schemas/Problem" };

/** What is wrong with an answer; undefined if nothing is. Of a stream, `body` is undefined. */
export function answerFault(route, { status, type, body }) {
  if (route === undefined) return status < 400 ? "no operation has this path" : undefined;
  if (status >= 400 && type === "application/problem+json") return problemFault(route, status, body);
  const response = status < 400 ? route.responses[status] : declaredFor(route.responses, status);
  if (response === undefined) return "the status is not declared";
  const { content } = response;
  if (content === undefined) return body ? "the body is not declared" : undefined;
  const media = content[type] ?? content["*/*"];
  if (media === undefined) return `the content type ${type} is not declared`;
  return type === "application/json" && body ? faultIn(media.schema, body) : undefined;
}

function problemFault({ operation, responses }, status, body) {
  if (declaredFor(responses, status) === undefined && operation.id !== "refuseMethod") {
    return "the status is not declared";
  }
  if (!body) return undefined;
  const fault = faultIn(problem, body);
  if (fault !== undefined) return fault;
  const document = JSON.parse(body);
  const code = document.type.slice("urn:plenary:problem:".length);
  if (!problemsOf(operation).has(code)) return `the problem ${code} is not declared`;
  return document.status === status ? undefined : `the document says ${document.status}`;
}

/** What is wrong with the JSON of one event of an event stream. */
export function eventFault(route, status, text) {
  const schema = route?.responses[status]?.content?.["text/event-stream"]?.schema;
  return schema === undefined ? "the stream is not declared" : faultIn(schema, text);
}

const frames = Object.fromEntries(
  Object.entries(streams.channels).map(([name, { messages }]) => {
    const sent = streams.operations[`${name}Send`].messages.map(({ $ref }) => $ref.split("/").at(-1));
    const known = Object.keys(messages).filter((message) => sent.includes(message));
    return [name, { anyOf: known.map((message) => streams.components.messages[message].payload) }];
  }),
);

/** What is wrong with a frame of a WebSocket. */
export function frameFault(url, text) {
  const channel = url.pathname === "/websocket" ? "nemo" : url.searchParams.get("as") === "agent" ? "agent" : "viewer";
  return faultIn(frames[channel], text);
}
