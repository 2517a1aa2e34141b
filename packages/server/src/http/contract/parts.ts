export type Operation = Record<string, unknown>;

export const problem = {
  description: "What is wrong, where, and what to do (RFC 9457).",
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
  description: "As in a manifest. A text that is empty counts as not given.",
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
    200: json("The conversation afterwards.", { $ref: "#/components/schemas/Conversation" }),
    default: problem,
  },
});

export const readsAs = query("speaker", "string", "read as this conversant; without it no whisper is shown");

export type Paths = Record<string, Record<string, Operation>>;
