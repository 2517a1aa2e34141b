import type { Manifest as ManifestType } from "@plenary/protocol";
import * as Type from "typebox";
import { Choice, Text, Time, WholeNumber } from "../text-shapes.ts";
import { Identification } from "./conversation.ts";

const Word = Type.String();
const Words = Type.Array(Word);
const Count = Type.Integer({ minimum: 0 });
const optional = Type.Optional;

export const healths = ["answering", "silent", "failing"] as const;

const open = { additionalProperties: true };

/** As the agent sent it; `identification` and `capabilities` are always there. */
const Manifest = Type.Unsafe<ManifestType>(
  Type.Object(
    { identification: Identification, capabilities: Type.Array(Type.Object({}, open)) },
    { ...open, $id: "Manifest", description: "Assistant Manifest 1.0.1." },
  ),
);

const Trouble = Type.Object(
  {
    code: Type.String({
      description:
        "`refused-url`, `refused-address`, `unreachable`, `timeout`, `not-connected`, `broken`, `redirect`, `too-large`, `encoded`, `status`, `no-envelope`, `echo`",
    }),
    detail: Word,
  },
  { description: "Why the agent does not answer." },
);

const Quirk = Type.Object({
  rule: Word,
  says: Word,
  fix: Word,
  spec: Word,
  isRepaired: Type.Boolean(),
  count: Count,
  lastAt: Time,
});

export const KnownAgent = Type.Object(
  {
    serviceUrl: Word,
    manifest: optional(Manifest),
    manifestAt: optional(Time),
    manifestBytes: optional(Count),
    health: Choice(healths, { description: "silent: no response. failing: the response was not a valid answer." }),
    since: Time,
    trouble: optional(Trouble),
    failuresInARow: Count,
    askedAt: Time,
    lastAnsweredAt: optional(Time),
    latencyMs: optional(
      Type.Object(
        { last: Type.Number(), p50: Type.Number(), p95: Type.Number(), of: Count },
        { description: "Milliseconds until the end of the answer, over the newest `of` answers, at most 64." },
      ),
    ),
    dialect: optional(Choice(["1.1", "1.0", "0.9"])),
    quirks: Type.Array(Quirk, {
      description:
        "Rules that its documents broke, and observed behaviours (such as `answers-whispers-aloud`), at most 32. `count`: number of times.",
    }),
    isHosted: optional(Type.Literal(true, { description: "The agent runs in this floor." })),
    isConnected: optional(Type.Literal(true, { description: "The agent has an open socket to this floor." })),
  },
  { $id: "KnownAgent" },
);
export type KnownAgent = Type.Static<typeof KnownAgent>;

const listOf = (pattern: string, what: string, description: string) =>
  optional(
    Type.Array(Type.String({ pattern, expected: `a list of at most 8 ${what}` }), {
      maxItems: 8,
      expected: `a list of at most 8 ${what}`,
      description,
    }),
  );

export const DiscoveryNeed = Type.Object(
  {
    text: Type.Refine(
      Text({ max: 1_000, description: "The task." }),
      (text) => text.trim() !== "",
      () => "describe the task in 1 to 1000 characters",
    ),
    languages: listOf(
      "^[A-Za-z0-9-]{1,35}$",
      "language tags such as en or pt-BR",
      "BCP 47. An agent needs one of them.",
    ),
    layers: listOf(
      "^[\\w.+/-]{1,40}$",
      "names of layers such as text or audio",
      "Such as `text` or `audio`. An agent needs all of them.",
    ),
    scope: optional(Choice(["external", "all"], { description: "`all`: a queried agent may recommend itself." })),
    limit: optional(WholeNumber(1, 50, { default: 10 })),
  },
  { additionalProperties: false, examples: [{ text: "translate a letter into Welsh", languages: ["cy"] }] },
);

const FoundAgent = Type.Object(
  {
    kind: Choice(["servicing", "discovery"]),
    manifest: Manifest,
    score: optional(Type.Number({ minimum: 0, maximum: 1 })),
    reasons: optional(
      Type.Object(
        {
          words: optional(Words),
          capability: optional(Count),
          language: optional(Word),
          layers: optional(Words),
          health: optional(Choice(healths)),
          heardAt: optional(Word),
          via: optional(Word),
          isUnverified: optional(
            Type.Literal(true, { description: "Reported by another agent; its own address was not queried." }),
          ),
        },
        { description: "As given by the recommending agent." },
      ),
    ),
  },
  { $id: "FoundAgent" },
);
export type FoundAgent = Type.Static<typeof FoundAgent>;

export const DiscoveryAnswer = Type.Object(
  {
    found: Type.Array(FoundAgent, { description: "best first" }),
    asked: Type.Array(
      Type.Object({
        serviceUrl: Word,
        speakerUri: optional(Word),
        via: optional(Word),
        found: optional(Count),
        problem: optional(Type.String({ description: "why the query failed" })),
      }),
    ),
    unasked: Type.Integer({ minimum: 0, description: "recommended discovery agents that were not queried" }),
  },
  { $id: "DiscoveryAnswer" },
);
