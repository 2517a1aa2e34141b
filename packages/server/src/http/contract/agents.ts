import { body, json, type Paths, problem, query } from "./parts.ts";

const text = { type: "string" };
const time = { type: "string", format: "date-time" };
const count = { type: "integer" };

export const knownAgent = {
  type: "object",
  required: ["serviceUrl", "health", "since", "failuresInARow", "askedAt", "quirks"],
  properties: {
    serviceUrl: text,
    manifest: {
      type: "object",
      description: "The last valid manifest. Absent if there is none, or if it is larger than 64 KiB.",
    },
    manifestAt: time,
    manifestBytes: count,
    health: {
      enum: ["answering", "silent", "failing"],
      description: "silent: no response. failing: the response was not a valid answer.",
    },
    since: time,
    trouble: {
      type: "object",
      description: "Why the agent does not answer.",
      properties: {
        code: {
          ...text,
          description:
            "`refused-url`, `refused-address`, `unreachable`, `timeout`, `not-connected`, `broken`, `redirect`, `too-large`, `encoded`, `status`, `no-envelope`, `echo`",
        },
        detail: text,
      },
    },
    failuresInARow: count,
    askedAt: time,
    lastAnsweredAt: time,
    latencyMs: {
      type: "object",
      description: "Milliseconds until the end of the answer, over the newest `of` answers, at most 64.",
      properties: { last: count, p50: count, p95: count, of: count },
    },
    dialect: { enum: ["1.1", "1.0", "0.9"] },
    quirks: {
      type: "array",
      description:
        "Rules that its documents broke, and observed behaviours (such as `answers-whispers-aloud`), at most 32. `count`: number of times.",
      items: {
        type: "object",
        properties: {
          rule: text,
          says: text,
          fix: text,
          spec: text,
          isRepaired: { type: "boolean" },
          count,
          lastAt: time,
        },
      },
    },
    isHosted: { type: "boolean", description: "The agent runs in this floor." },
    isConnected: { type: "boolean", description: "The agent has an open socket to this floor." },
  },
};

const asked = {
  type: "object",
  description: "`problem`: why the query failed.",
  properties: { serviceUrl: text, speakerUri: text, via: text, found: count, problem: text },
};

const found = {
  type: "object",
  required: ["kind", "manifest"],
  properties: {
    kind: { enum: ["servicing", "discovery"] },
    manifest: { type: "object" },
    score: { type: "number", minimum: 0, maximum: 1 },
    reasons: {
      type: "object",
      description: "As given by the recommending agent.",
      properties: {
        words: { type: "array", items: text },
        capability: count,
        language: text,
        layers: { type: "array", items: text },
        health: { enum: ["answering", "silent", "failing"] },
        heardAt: time,
        via: text,
        isUnverified: { const: true, description: "Reported by another agent; its own address was not queried." },
      },
    },
  },
};

const discoverPath = {
  post: {
    summary:
      "Finds agents for a task: queries the discovery agent of this floor and the discovery agents that it recommends. All of them receive the query.",
    requestBody: body({
      type: "object",
      required: ["text"],
      properties: {
        text: { ...text, description: "The task, in 1 to 1000 characters." },
        languages: { type: "array", items: text, description: "BCP 47, at most 8. An agent needs one of them." },
        layers: {
          type: "array",
          items: text,
          description: "Such as `text` or `audio`, at most 8. An agent needs all of them.",
        },
        scope: { enum: ["external", "all"], description: "`all`: a queried agent may recommend itself." },
        limit: { ...count, minimum: 1, maximum: 50, default: 10 },
      },
    }),
    responses: {
      200: json("Best first. `unasked`: number of recommended discovery agents that were not queried.", {
        type: "object",
        properties: {
          found: { type: "array", items: found },
          asked: { type: "array", items: asked },
          unasked: count,
        },
      }),
      default: problem,
    },
  },
};

export const agentPaths: Paths = {
  "/api/v1/agents": {
    get: {
      summary:
        "Lists known agents, connected and hosted ones first: manifest, health, latency, dialect, and broken rules.",
      parameters: [query("health", "string", "`answering`, `silent` or `failing`")],
      responses: {
        200: json("`{agents, invitedByDefault}`; the second lists the addresses for a new conversation", {
          type: "object",
          properties: {
            agents: { type: "array", items: { $ref: "#/components/schemas/KnownAgent" } },
            invitedByDefault: { type: "array", items: { type: "string" } },
          },
        }),
        default: problem,
      },
    },
    post: {
      summary: "Adds an agent and requests its manifest. The agent is stored even if it does not answer.",
      requestBody: body({ type: "object", required: ["serviceUrl"], properties: { serviceUrl: { type: "string" } } }),
      responses: { 201: json("The agent's record.", { $ref: "#/components/schemas/KnownAgent" }), default: problem },
    },
    delete: {
      summary: "Deletes the record of an agent. The next exchange with it creates a new one.",
      parameters: [{ ...query("serviceUrl", "string", "the agent's address"), required: true }],
      responses: { 204: { description: "Done." }, default: problem },
    },
  },
  "/api/v1/agents/check": {
    post: {
      summary:
        "Checks one agent, or without `serviceUrl` all known agents, by a manifest request, newest dialect first. Takes at most a minute.",
      requestBody: body({ type: "object", properties: { serviceUrl: { type: "string" } } }),
      responses: { 200: json("`{agents}`: the records after the check"), default: problem },
    },
  },
  "/api/v1/discover": discoverPath,
};
