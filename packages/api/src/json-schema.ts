import type * as Type from "typebox";

type Json = Record<string, unknown>;

/** Writes schemas for a document: a schema with a name (`$id`) is written once, under `components`. */
export function createSchemaWriter() {
  const schemas: Record<string, Json> = {};
  const write = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(write);
    if (typeof schema !== "object" || schema === null) return schema;
    const { $id, expected, shownFormat, examples, ...rest } = withCommonProperties(schema as Json) as Json & {
      $id?: string;
    };
    const phrase = rest.description === undefined && expected !== undefined ? { description: expected } : {};
    const written = () => ({
      ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, write(value)])),
      ...phrase,
      ...(shownFormat !== undefined && { format: shownFormat }),
      ...(examples !== undefined && { examples }),
    });
    if ($id === undefined) return written();
    if (schemas[$id] === undefined) {
      // Set first: a schema may contain itself.
      schemas[$id] = {};
      schemas[$id] = written();
    }
    return { $ref: `#/components/schemas/${$id}` };
  };
  return {
    write: (schema: Type.TSchema) => write(schema) as Json,
    /** The named schemas written so far. */
    schemas: () => Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => a.localeCompare(b))),
  };
}

type ObjectSchema = { type: "object"; properties: Json; required?: readonly string[] };

/**
 * A union of many objects: the properties that they all have are written once. In `allOf`, because generators of types read
 * properties beside `anyOf` as one more alternative.
 */
function withCommonProperties(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length < 4 || !anyOf.every(isOpenObject)) return schema;
  const [first, ...others] = anyOf as [ObjectSchema, ...ObjectSchema[]];
  const textOf = ({ properties }: ObjectSchema, name: string) => JSON.stringify(properties[name]);
  const isCommon = (name: string) => others.every((other) => textOf(other, name) === textOf(first, name));
  if (!Object.keys(first.properties).some(isCommon)) return schema;
  const pick = ({ properties, required = [] }: ObjectSchema, isPicked: (name: string) => boolean) => ({
    type: "object",
    required: required.filter(isPicked),
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isPicked(name))),
  });
  const own = anyOf.map((one) => pick(one, (name) => !isCommon(name)));
  return { ...rest, allOf: [pick(first, isCommon), { anyOf: own }] };
}

function isOpenObject(schema: Json): boolean {
  return schema.type === "object" && schema.$id === undefined && schema.additionalProperties === undefined;
}
