import { encodeEnvelope, envelope } from "@plenary/protocol";
import type { Context, Hono } from "hono";
import { peersOf } from "../decode.ts";
import { Problem } from "../errors.ts";
import { depthIn, floorsIn } from "../outbound/write-letter.ts";
import type { Receipt } from "../receive.ts";
import type { Running } from "../running.ts";
import { consequencesOf, untilIdle, waitSecondsOf } from "../wait.ts";
import { readText } from "./body.ts";
import type { Env } from "./env.ts";

/** The floor's own serviceUrl: envelopes in any dialect, answered in the same. */
export function mountOpenFloor(app: Hono<Env>, running: Running): void {
  app.post("/openfloor", async (c) => {
    const text = await readText(c.req.raw, running.bodyBytesMax);
    const baggage = c.req.header("baggage");
    const depth = depthIn(baggage);
    const inReplyTo = c.req.header("in-reply-to");
    const receipt = await running.receiver.envelope(text, {
      principal: c.get("principal"),
      ...(depth !== undefined && { depth }),
      floors: floorsIn(baggage),
      ...(inReplyTo !== undefined && { inReplyTo }),
    });
    const { refused } = receipt;
    const consequences = await waited(running, c, receipt);
    setSeq(c, receipt);
    return c.json({
      ...acknowledgement(running, receipt),
      ...(refused.length > 0 && { refused }),
      ...(consequences && { consequences }),
    });
  });
  app.all("/openfloor", () => {
    throw new Problem("method-not-allowed", { detail: "envelopes are sent here by POST" });
  });
}

/** Spec 2.3: an empty envelope says that it was received. Here it also says: accepted, and durable. */
function acknowledgement(running: Running, { conversationId, dialect, floor }: Receipt): Record<string, unknown> {
  const sender = running.self();
  const empty = envelope({ conversation: { id: conversationId }, sender, events: [] });
  return encodeEnvelope(empty, dialect, { peers: peersOf(floor) }).document;
}

function setSeq(c: Context<Env>, { entries }: Receipt): void {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first !== undefined && last !== undefined) c.header("Plenary-Seq", `${first.seq}-${last.seq}`);
}

/** D27. */
async function waited(running: Running, c: Context<Env>, receipt: Receipt) {
  const seconds = waitSecondsOf(c.req.header("prefer"));
  if (seconds === undefined) return undefined;
  c.header("Preference-Applied", `wait=${seconds}`);
  const { conversationId, sender, dialect, entries } = receipt;
  const received = entries.find(({ kind }) => kind === "received");
  if (received === undefined) return [];
  const { turn } = received;
  await untilIdle(running, { conversationId, turn, ms: seconds * 1_000 });
  const floor = (await running.store.load(conversationId)) ?? receipt.floor;
  return consequencesOf(running.store, floor, { after: received.seq - 1, turn, sender, dialect });
}
