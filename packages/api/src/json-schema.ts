import type * as Type from "typebox";

type Json = Record<string, unknown>;

/** Writes schemas for a document: a schema with a name (`$id`) is written once, under `components`. */
export function createSchemaWriter() {
  const schemas: Record<string, Json> = {};
  const write = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(write);
    if (typeof schema !== "object" || schema === null) return schema;
    const { $id, expected, shownFormat, examples, ...rest } = schema as Json & { $id?: string };
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
