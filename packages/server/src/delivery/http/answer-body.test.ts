import { expect, test } from "vitest";
import type { DraftPiece } from "../../ports/outbound.ts";
import { readBody } from "./answer-body.ts";

async function read(...events: readonly [event: string, data: unknown][]) {
  const pieces: DraftPiece[] = [];
  const text = events.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  const response = new Response(text, { headers: { "content-type": "text/event-stream" } });
  const { status, headers, body } = response;
  const chunks = body as unknown as AsyncIterable<Uint8Array>;
  const answer = await readBody(
    { status, headers, body: chunks },
    { bytesMax: 10_000, onDraft: (one) => pieces.push(one) },
  );
  return { pieces, answer };
}

const step = { id: "1", title: "Searching", state: "running" };
const start = ["start", { dialogEventId: "x" }] as const;

test("D43: a step of a streamed answer is a piece of its draft, as `{step}` or bare", async () => {
  const { pieces, answer } = await read(
    [...start],
    ["step", { dialogEventId: "another", step }],
    ["step", { ...step, state: "done" }],
    ["envelope", {}],
  );
  expect(pieces).toEqual([
    { dialogEventId: "x" },
    { dialogEventId: "x", step },
    { dialogEventId: "x", step: { ...step, state: "done" } },
  ]);
  expect(answer).toBe("{}");
});

test("D43: an invalid step, or one before the draft, is dropped alone", async () => {
  const { pieces, answer } = await read(
    ["step", { step }],
    [...start],
    ["step", { step: { ...step, state: "paused" } }],
    ["step", "Searching"],
    ["delta", { delta: "a" }],
    ["envelope", {}],
  );
  expect(pieces).toEqual([{ dialogEventId: "x" }, { dialogEventId: "x", delta: "a" }]);
  expect(answer).toBe("{}");
});
