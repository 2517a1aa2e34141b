import { body, count, done, flag, json, list, type Operations, object, query, ref, text, time } from "./parts.ts";

const health = ["answering", "silent", "failing"];

export const knownAgent = object(
  {
    serviceUrl: text,
    manifest: {
      type: "object",
      description: "The last valid manifest. Absent if there is none, or if it is larger than 64 KiB.",
    },
    manifestAt: time,
    manifestBytes: count,
    health: { enum: health, description: "silent: no response. failing: the response was not a valid answer." },
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
    quirks: list(
      object({ rule: text, says: text, fix: text, spec: text, isRepaired: flag, count, lastAt: time }),
      "Rules that its documents broke, and observed behaviours (such as `answers-whispers-aloud`), at most 32. `count`: number of times.",
    ),
    isHosted: { ...flag, description: "The agent runs in this floor." },
    isConnected: { ...flag, description: "The agent has an open socket to this floor." },
  },
  ["serviceUrl", "health", "since", "failuresInARow", "askedAt", "quirks"],
);

const asked = {
  type: "object",
  description: "`problem`: why the query failed.",
  properties: { serviceUrl: text, speakerUri: text, via: text, found: count, problem: text },
};

const found = object(
  {
    kind: { enum: ["servicing", "discovery"] },
    manifest: { type: "object" },
    score: { type: "number", minimum: 0, maximum: 1 },
    reasons: {
      type: "object",
      description: "As given by the recommending agent.",
      properties: {
        words: list(text),
        capability: count,
        language: text,
        layers: list(text),
        health: { enum: health },
        heardAt: time,
        via: text,
        isUnverified: { const: true, description: "Reported by another agent; its own address was not queried." },
      },
    },
  },
  ["kind", "manifest"],
);

export const agentOperations = {
  "GET /api/v1/agents": {
    summary:
      "Lists known agents, connected and hosted ones first: manifest, health, latency, dialect, and broken rules.",
    parameters: [query("health", "string", "`answering`, `silent` or `failing`")],
    responses: {
      200: json(
        "`{agents, invitedByDefault}`; the second lists the addresses for a new conversation",
        object({ agents: list(ref("KnownAgent")), invitedByDefault: list(text) }),
      ),
    },
  },
  "POST /api/v1/agents": {
    summary: "Adds an agent and requests its manifest. The agent is stored even if it does not answer.",
    requestBody: body(object({ serviceUrl: text }, ["serviceUrl"])),
    responses: { 201: json("The agent's record.", ref("KnownAgent")) },
  },
  "DELETE /api/v1/agents": {
    summary: "Deletes the record of an agent. The next exchange with it creates a new one.",
    parameters: [{ ...query("serviceUrl", "string", "the agent's address"), required: true }],
    responses: { 204: done },
  },
  "POST /api/v1/agents/check": {
    summary:
      "Checks one agent, or without `serviceUrl` all known agents, by a manifest request, newest dialect first. Takes at most a minute.",
    requestBody: body(object({ serviceUrl: text })),
    responses: { 200: json("`{agents}`: the records after the check") },
  },
  "POST /api/v1/discover": {
    summary:
      "Finds agents for a task: queries the discovery agent of this floor and the discovery agents that it recommends. All of them receive the query.",
    requestBody: body(
      object(
        {
          text: { ...text, description: "The task, in 1 to 1000 characters." },
          languages: list(text, "BCP 47, at most 8. An agent needs one of them."),
          layers: list(text, "Such as `text` or `audio`, at most 8. An agent needs all of them."),
          scope: { enum: ["external", "all"], description: "`all`: a queried agent may recommend itself." },
          limit: { ...count, minimum: 1, maximum: 50, default: 10 },
        },
        ["text"],
      ),
    ),
    responses: {
      200: json(
        "Best first. `unasked`: number of recommended discovery agents that were not queried.",
        object({ found: list(found), asked: list(asked), unasked: count }),
      ),
    },
  },
} satisfies Operations;
