import type { Route } from "../../routing/routes.ts";

/** The document adds the path parameters, `security` and the usual error response: see `openapi.ts`. */
export type Operation = {
  summary: string;
  parameters?: readonly object[];
  requestBody?: object;
  responses: Record<number, object> & { default?: object };
};

export type Operations = Partial<Record<Route, Operation>>;

export const text = { type: "string" };
export const count = { type: "integer" };
export const flag = { type: "boolean" };
export const time = { type: "string", format: "date-time" };
export const uri = { type: "string", format: "uri" };
export const list = (items: object, description?: string) => ({
  type: "array",
  items,
  ...(description !== undefined && { description }),
});
export const object = (properties: object, required?: readonly string[]) => ({
  type: "object",
  ...(required && { required }),
  properties,
});
export const ref = (name: "Accepted" | "Conversation" | "Envelope" | "KnownAgent" | "Problem") => ({
  $ref: `#/components/schemas/${name}`,
});

export const json = (description: string, schema: object = { type: "object" }) => ({
  description,
  content: { "application/json": { schema } },
});
export const stream = (description: string) => ({ description, content: { "text/event-stream": { schema: text } } });
export const done = { description: "Done." };
export const socketOpen = { description: "The socket is open." };
export const problem = {
  description: "A problem document (RFC 9457).",
  content: { "application/problem+json": { schema: ref("Problem") } },
};

export const body = (schema: object, required = true) => ({ required, content: { "application/json": { schema } } });

export const query = (name: string, type: "integer" | "string", description: string) => ({
  name,
  in: "query",
  description,
  schema: { type },
});
export const limit = query("limit", "integer", "1 to 1000, default 100");
export const readsAs = query("speaker", "string", "read as this conversant; without it, whispers are hidden");
export const ticket = query("ticket", "string", "Instead of a token, for browsers.");

export const header = (name: string, description: string) => ({ name, in: "header", description, schema: text });
