import type * as Type from "typebox";
import * as Value from "typebox/value";
import { nearestName } from "./nearest-name.ts";
import type { Operation } from "./operation.ts";

/** What is wrong in a request. */
export type RequestFault = { pointer: string; detail: string; fix?: string };

type Node = {
  expected?: string;
  description?: string;
  type?: string;
  properties?: Record<string, Node>;
  items?: Node;
  additionalProperties?: boolean | Node;
};

/** The first fault of a request body; undefined when it has none. */
export function bodyFault({ body }: Operation, value: unknown): RequestFault | undefined {
  return body === undefined ? undefined : faultIn(body, value);
}

function faultIn(schema: Type.TSchema, value: unknown): RequestFault | undefined {
  if (Value.Check(schema, value)) return undefined;
  const errors = Value.Errors(schema, value);
  const unknown = errors.find(({ keyword }) => keyword === "additionalProperties");
  const error = unknown ?? errors[0];
  if (error === undefined) return undefined;
  const { keyword, instancePath } = error;
  const params = error.params as { requiredProperties?: string[]; additionalProperties?: string[] };
  if (keyword === "required") return fault(`${instancePath}/${params.requiredProperties?.[0]}`, "it is missing");
  const parent = nodeAt(schema, instancePath);
  const [name] = params.additionalProperties ?? [];
  if (keyword === "additionalProperties" && name !== undefined) {
    return unknownField(instancePath, name, Object.keys(parent?.properties ?? {}));
  }
  return fault(instancePath, keyword === "~refine" ? error.message : (parent?.expected ?? error.message));
}

function unknownField(at: string, name: string, known: readonly string[]): RequestFault {
  const meant = nearestName(name, known);
  const pointer = `${at}/${name.slice(0, 100).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const detail = `there is no such field${meant === undefined ? "" : `; ${meant} is meant`}`;
  const list = known.length === 0 ? "this request has no fields" : `the fields are ${known.join(", ")}`;
  return { ...fault(pointer, detail), fix: meant === undefined ? list : `rename it to ${meant}` };
}

function fault(pointer: string, detail: string): RequestFault {
  return { pointer, detail: pointer === "" ? detail : `${pointer}: ${detail}` };
}

/** The schema of the value at a JSON pointer; of a list, the list's own phrase says more than the item's. */
function nodeAt(schema: Type.TSchema, pointer: string): Node | undefined {
  let node: Node | undefined = schema as Node;
  for (const key of pointer.split("/").slice(1)) {
    const more: Node | boolean | undefined = node?.additionalProperties;
    node =
      node?.properties?.[key] ??
      node?.items ??
      (node?.expected === undefined && typeof more === "object" ? more : node);
  }
  return node;
}

type QueryResult = { ok: true; query: Record<string, unknown> } | { ok: false; fault: RequestFault };

/** Checks query parameters. Numbers arrive as digits; an unknown name is refused. */
export function parseQuery({ query: schema }: Operation, params: URLSearchParams): QueryResult {
  const properties = (schema?.properties ?? {}) as Record<string, Node>;
  const query: Record<string, unknown> = {};
  for (const [name, text] of params) {
    const node = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (node === undefined) return { ok: false, fault: unknownParameter(name, Object.keys(properties)) };
    if (Object.hasOwn(query, name)) continue;
    query[name] = node.type === "integer" && /^\d{1,16}$/u.test(text) ? Number(text) : text;
  }
  const found = schema && faultIn(schema, query);
  if (found === undefined) return { ok: true, query };
  return { ok: false, fault: { ...found, pointer: "", detail: `the query parameter ${found.detail.slice(1)}` } };
}

function unknownParameter(name: string, known: readonly string[]): RequestFault {
  const { fix, detail } = unknownField("", name, known);
  return { pointer: "", detail: `the query parameter ${detail.slice(1)}`, ...(fix !== undefined && { fix }) };
}
