import { asksForProposals, encodeEnvelope, envelope } from "@plenary/protocol";
import type { ConversationContext, FloorContext } from "../context.ts";
import { carriedOf, type JsonText, peersOf } from "../conversation/decode.ts";
import { requestKeyIn } from "../conversation/dedupe.ts";
import type { Receipt } from "../conversation/receive.ts";
import { consequencesMax, consequencesOf, untilIdle, waitSecondsOf } from "../conversation/wait-for-idle.ts";
import { trailIn } from "../delivery/message.ts";
import type { Principal } from "../ports/principal.ts";

/** A posted envelope, from any transport. */
export type PostedEnvelope = {
  document: JsonText;
  principal: Principal;
  /** The envelope is a late answer to a private utterance of this conversant. */
  whisperer?: string;
  /** The name is in lower case. */
  header: (name: string) => string | undefined;
  /** Called when the envelope is accepted and the sender waits for its consequences. */
  onWait?: (() => void) | undefined;
};

type AcceptedResponse = { headers: Record<string, string>; body: string };

/** Processes an envelope in any dialect; the response is in the same dialect. */
export async function accept(server: ConversationContext, posted: PostedEnvelope): Promise<AcceptedResponse> {
  const { document, principal, header, whisperer } = posted;
  const inReplyTo = header("in-reply-to");
  const requestKey = requestKeyIn(header);
  const traceparent = header("traceparent");
  const request = {
    document,
    principal,
    ...trailIn(header("baggage")),
    ...(inReplyTo !== undefined && { inReplyTo }),
    ...(requestKey !== undefined && { requestKey }),
    ...(traceparent !== undefined && { traceparent }),
    ...(whisperer !== undefined && { whisperer }),
  };
  const receipt = await server.loadShedder.run(() => server.receiver.envelope(request));
  const headers: Record<string, string> = { "content-type": "application/json" };
  const [first, last] = [receipt.entries[0], receipt.entries.at(-1)];
  if (first !== undefined && last !== undefined) headers["plenary-seq"] = `${first.seq}-${last.seq}`;
  const seconds = waitSecondsOf(header("prefer"));
  if (seconds !== undefined) {
    headers["preference-applied"] = `wait=${seconds}`;
    posted.onWait?.();
  }
  const consequences = seconds === undefined ? undefined : await waited(server, seconds, receipt);
  const { refused } = receipt;
  const body = JSON.stringify({
    ...acknowledgement(server, receipt),
    ...(refused.length > 0 && { refused }),
    ...(consequences && { consequences }),
  });
  return { headers, body };
}

/** Spec 2.3: an empty envelope acknowledges the receipt. Here it also means: accepted and durable. */
function acknowledgement(server: FloorContext, { conversationId, dialect, floor }: Receipt): Record<string, unknown> {
  const sender = server.self;
  const empty = envelope({ conversation: { id: conversationId }, sender, events: [] });
  return encodeEnvelope(empty, dialect, { peers: peersOf(floor), carried: carriedOf(floor) }).document;
}

/** D27. */
async function waited(server: ConversationContext, seconds: number, receipt: Receipt) {
  const { conversationId, sender, dialect, entries } = receipt;
  const received = entries.find((entry) => entry.kind === "received");
  if (received === undefined) return [];
  const { turn, seq } = received;
  // A repeated request gets the entries of its first time; what followed them is read from the log.
  const isNewest = entries.at(-1)?.seq === receipt.floor.seq;
  const from = isNewest ? { from: receipt.floor } : {};
  const idle = await untilIdle(server, { conversationId, turn, ms: seconds * 1_000, ...from });
  const later =
    idle.entries && [...entries.filter((entry) => entry.seq >= seq), ...idle.entries].slice(0, consequencesMax);
  const following = later ?? (await server.log.entries(conversationId, { after: seq - 1, limit: consequencesMax }));
  const isProposal = received.events.some(asksForProposals);
  return consequencesOf(following, idle.floor ?? receipt.floor, { turn, sender, dialect, isProposal });
}
