type Operation = Record<string, unknown>;

export const problem = {
  description: "A problem document (RFC 9457).",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

export const json = (description: string, schema: object = { type: "object" }) => ({
  description,
  content: { "application/json": { schema } },
});

export const body = (schema: object, required = true) => ({ required, content: { "application/json": { schema } } });

export const query = (name: string, type: "integer" | "string", description: string) => ({
  name,
  in: "query",
  description,
  schema: { type },
});

export const header = (name: string, description: string) => ({
  name,
  in: "header",
  description,
  schema: { type: "string" },
});

export const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
export const speakerUri = { type: "string", format: "uri" };
export const reason = { type: "string" };
export const identification = {
  type: "object",
  required: ["speakerUri"],
  description: "As in a manifest. An empty text counts as absent.",
  properties: {
    speakerUri,
    ...Object.fromEntries(
      ["serviceUrl", "conversationalName", "organization", "synopsis", "department", "role"].map((name) => [
        name,
        { type: "string" },
      ]),
    ),
    openFloorRoles: { type: "object", additionalProperties: { type: "boolean" } },
  },
};

export const open = (summary: string, ok: object): Operation => ({ summary, security: [], responses: { 200: ok } });

export const command = (summary: string, properties: object, required: string[] = []): Operation => ({
  summary,
  parameters: [id],
  requestBody: body({ type: "object", properties, required }, required.length > 0),
  responses: {
    200: json("The conversation after the command.", { $ref: "#/components/schemas/Conversation" }),
    default: problem,
  },
});

export const readsAs = query("speaker", "string", "read as this conversant; without it, whispers are hidden");

export type Paths = Record<string, Record<string, Operation>>;
