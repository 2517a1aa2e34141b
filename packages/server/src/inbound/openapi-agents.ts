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
            "`refused-url`, `refused-address`, `unreachable`, `timeout`, `not-connected`, `broken`, `redirect`, `too-large`, `encoded`, `status`, `no-envelope`",
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
      description: "Rules that its documents broke, at most 32; `count` documents.",
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
