import { body, json, problem } from "./parts.ts";

const text = { type: "string" };
const time = { type: "string", format: "date-time" };
const count = { type: "integer" };

export const knownAgent = {
  type: "object",
  required: ["serviceUrl", "health", "since", "failuresInARow", "askedAt", "quirks"],
  properties: {
    serviceUrl: text,
    manifest: { type: "object", description: "The last good one. Absent when it gave none, or one above 64 KiB." },
    manifestAt: time,
    manifestBytes: count,
    health: {
      enum: ["answering", "silent", "failing"],
      description: "silent: nothing came back. failing: what came back was no answer.",
    },
    since: time,
    trouble: {
      type: "object",
      description: "Why it does not answer.",
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
      description: "Milliseconds to the end of its answers, over the newest `of`, at most 64.",
      properties: { last: count, p50: count, p95: count, of: count },
    },
    dialect: { enum: ["1.1", "1.0", "0.9"] },
    quirks: {
      type: "array",
      description:
        "Rules that its documents broke, and what it did beside the rules (`answers-whispers-aloud`), at most 32; `count`: how often.",
      items: {
        type: "object",
        properties: {
          ...{ rule: text, says: text, fix: text, spec: text },
          ...{ isRepaired: { type: "boolean" }, count, lastAt: time },
        },
      },
    },
    isHosted: { type: "boolean", description: "It lives in this floor." },
    isConnected: { type: "boolean", description: "It is connected to this floor by a socket now." },
  },
};

const asked = {
  type: "object",
  description: "`problem`: why nothing came of asking it.",
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
      description: "Given where the recommending agent gives them.",
      properties: {
        words: { type: "array", items: text },
        ...{ capability: count, language: text, layers: { type: "array", items: text } },
        health: { enum: ["answering", "silent", "failing"] },
        ...{ heardAt: time, via: text },
        isUnverified: { const: true, description: "Another agent reported it, and its own address was not asked." },
      },
    },
  },
};

export const discoverPath = {
  post: {
    summary:
      "Asks this floor's discovery agent, and the discovery agents that it recommends, who can help. What is asked goes to them all.",
    requestBody: body({
      type: "object",
      required: ["text"],
      properties: {
        text: { ...text, description: "What is needed, in 1 to 1000 characters." },
        languages: { type: "array", items: text, description: "BCP 47, at most 8, any of which will do." },
        layers: { type: "array", items: text, description: "Such as `text` or `audio`: at most 8, all of them." },
        scope: { enum: ["external", "all"], description: "`all`: an agent that is asked may recommend itself." },
        limit: { ...count, minimum: 1, maximum: 50, default: 10 },
      },
    }),
    responses: {
      200: json("The best first. `unasked`: discovery agents that were recommended and not asked any more.", {
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

export const agentList = {
  type: "object",
  properties: {
    agents: { type: "array", items: { $ref: "#/components/schemas/KnownAgent" } },
    invitedByDefault: { type: "array", items: { type: "string" } },
  },
};
