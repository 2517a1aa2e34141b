import * as Type from "typebox";
import { Compile, type Validator } from "typebox/schema";
import { sentFrames } from "./frames.ts";
import { nearestName } from "./nearest-name.ts";
import type { Operation } from "./operation.ts";

/** What is wrong in a request. */
export type RequestFault = {
  /** JSON pointer into the body or frame; empty for the whole of it. */
  pointer: string;
  /** The query parameter. */
  parameter?: string;
  detail: string;
  fix?: string;
};

type Node = {
  expected?: string;
  description?: string;
  type?: string;
  enum?: readonly string[];
  properties?: Record<string, Node>;
  items?: Node;
  additionalProperties?: boolean | Node;
};

/** The first fault of a request body; undefined when it has none. */
export function bodyFault({ body }: Operation, value: unknown): RequestFault | undefined {
  return body === undefined ? undefined : faultIn(body, value);
}

function faultIn(schema: Type.TSchema, value: unknown): RequestFault | undefined {
  const validator = validatorOf(schema);
  if (validator.Check(value)) return undefined;
  const [, errors] = validator.Errors(value);
  const unknown = errors.find(({ keyword }) => keyword === "additionalProperties");
  const error = unknown ?? errors[0];
  if (error === undefined) return undefined;
  const { keyword, instancePath } = error;
  const params = error.params as { requiredProperties?: string[]; additionalProperties?: string[] };
  if (keyword === "required") return fault(`${instancePath}/${params.requiredProperties?.[0]}`, "it is missing");
  const parent = nodeAt(schema, instancePath);
  const [name] = params.additionalProperties ?? [];
  if (keyword === "additionalProperties" && name !== undefined) {
    return unknownName(instancePath, name, { known: Object.keys(parent?.properties ?? {}), word: "field" });
  }
  const meant = meantValue(parent, valueAt(value, instancePath));
  return {
    ...fault(instancePath, keyword === "~refine" ? error.message : (parent?.expected ?? error.message)),
    ...(meant !== undefined && { fix: `write ${meant}` }),
  };
}

/** For a misspelt choice. */
function meantValue(node: Node | undefined, given: unknown): string | undefined {
  return typeof given === "string" && node?.enum !== undefined ? nearestName(given, node.enum) : undefined;
}

function valueAt(value: unknown, pointer: string): unknown {
  const keys = pointer.split("/").slice(1);
  return keys.reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], value);
}

const validators = new WeakMap<object, Validator>();

/** Compiled when it is first needed. */
function validatorOf(schema: Type.TSchema): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const validator = Compile(schema);
  validators.set(schema, validator);
  return validator;
}

/** The envelope of a frame and the step of a draft are checked where they are read. */
const frames = {
  envelope: withUnknown(sentFrames.envelope, ["openFloor", "ovon"]),
  answer: withUnknown(sentFrames.answer, ["openFloor", "ovon"]),
  draft: Type.Object(
    { ...sentFrames.draft.properties, draft: withUnknown(sentFrames.draft.properties.draft, ["to", "step"]) },
    { additionalProperties: false },
  ),
};

function withUnknown({ properties, ...options }: Type.TObject, names: readonly string[]) {
  const open = Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unknown())]));
  return Type.Object({ ...properties, ...open }, options);
}

/** The first fault of a frame that a client sent; undefined when it has none. */
export function frameFault(kind: keyof typeof frames, frame: unknown): RequestFault | undefined {
  return faultIn(frames[kind], frame);
}

type Names = { known: readonly string[]; word: "field" | "parameter" };

function unknownName(at: string, name: string, { known, word }: Names): RequestFault {
  const meant = nearestName(name, known);
  const pointer = `${at}/${name.slice(0, 100).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const detail = `there is no such ${word}${meant === undefined ? "" : `; ${meant} is meant`}`;
  const plural = word === "field" ? "fields" : "query parameters";
  const list = known.length === 0 ? `this request has no ${plural}` : `the ${word}s are ${known.join(", ")}`;
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
    if (node === undefined) {
      const known = Object.keys(properties);
      return { ok: false, fault: inQuery(unknownName("", name, { known, word: "parameter" })) };
    }
    if (Object.hasOwn(query, name)) continue;
    query[name] = node.type === "integer" && /^\d{1,16}$/u.test(text) ? Number(text) : text;
  }
  const found = schema && faultIn(schema, query);
  return found === undefined ? { ok: true, query } : { ok: false, fault: inQuery(found) };
}

function inQuery({ pointer, detail, ...found }: RequestFault): RequestFault {
  const parameter = pointer.slice(1).replaceAll("~1", "/").replaceAll("~0", "~");
  return { ...found, pointer: "", parameter, detail: `the query parameter ${detail.slice(1)}` };
}
