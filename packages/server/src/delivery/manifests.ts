import { conversationOf, type Effect, emptyFloor, type Floor, seatOf } from "@plenary/floor";
import { conversantOf, type Envelope, envelope, getManifests, isSameUri, type Manifest } from "@plenary/protocol";
import { carriedOf, peersOf } from "../conversation/decode.ts";
import type { Receiver } from "../conversation/receive.ts";
import { Problem } from "../errors.ts";
import type { DeliveryLimits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { ConversationLog } from "../ports/conversation-log.ts";
import type { FloorIdentity, Outbound, OutboundMessage, Outcome } from "../ports/outbound.ts";
import { Stop } from "../stop-signal.ts";

/** How a request to an agent ended; `manifest` where the request asked for it. */
export type ManifestResult = { outcome: Outcome; manifest?: Manifest };

/** Called with the result of each manifest request. */
export type ManifestListener = (serviceUrl: string, result: ManifestResult) => void;

export type OutboundContext = {
  clock: Clock;
  outbounds: readonly Outbound[];
  limits: DeliveryLimits;
  self: FloorIdentity;
};

type ManifestContext = OutboundContext & { log: ConversationLog; receiver: Receiver; onManifest: ManifestListener };

/** D14: requests the manifest of a new conversant. The rest of the answer, or a failure, has no effect. */
export async function askForManifest(
  context: ManifestContext,
  conversationId: string,
  { speakerUri, serviceUrl }: Effect & { kind: "askManifest" },
): Promise<void> {
  const floor = await context.log.load(conversationId);
  if (floor === undefined) return;
  const delivery = `manifest${floor.seq}`;
  const result = await requestManifest(context, { to: { speakerUri, serviceUrl }, floor, delivery });
  context.onManifest(serviceUrl, result);
  const { manifest } = result;
  if (manifest === undefined) return;
  const { identification } = conversantOf(manifest);
  try {
    await context.receiver.command(conversationId, { verb: "identify", speakerUri, identification });
  } catch (error) {
    // The conversation may have ended in the meantime.
    if (!(error instanceof Problem)) throw error;
  }
}

type ManifestRequest = { to: OutboundMessage["to"]; floor: Floor; delivery: string; isCheck?: true };

/** Requests the manifest of an agent outside any conversation, with a single attempt. */
export function checkIdentity(
  context: OutboundContext,
  to: OutboundMessage["to"],
  newId: () => string,
): Promise<ManifestResult> {
  // A unique id: an agent answers a repeated id from its cache.
  const delivery = `manifest-${newId()}`;
  return requestManifest(context, { to, floor: emptyFloor("urn:plenary:who-are-you"), delivery, isCheck: true });
}

async function requestManifest(context: OutboundContext, request: ManifestRequest): Promise<ManifestResult> {
  const { clock, limits } = context;
  const { to } = request;
  const outbound = context.outbounds.find((one) => one.reaches(to));
  if (outbound === undefined) return { outcome: failed("refused-url", "no transport reaches this address") };
  const stop = new Stop();
  const cancel = clock.at(clock.now() + limits.manifestAnswerMs, () => stop.abort());
  const outcome = await outbound.send(messageFor(request, context.self, stop));
  cancel();
  if (outcome.kind === "aborted") {
    return { outcome: failed("timeout", `it did not answer within ${limits.manifestAnswerMs / 1_000} seconds`) };
  }
  const manifest = outcome.kind === "envelope" ? manifestIn(outcome.envelope, to.speakerUri) : undefined;
  return { outcome, ...(manifest && { manifest }) };
}

function failed(code: "refused-url" | "timeout", detail: string): Outcome {
  return { kind: "failure", failure: code === "timeout" ? code : "unreachable", detail, code };
}

function messageFor(
  { to, floor, delivery, isCheck }: ManifestRequest,
  self: FloorIdentity,
  stop: Stop,
): OutboundMessage {
  const addressee = to.speakerUri === to.serviceUrl ? { serviceUrl: to.serviceUrl } : to;
  const dialect = seatOf(floor, to.speakerUri)?.dialect;
  const { conversants = [], ...others } = conversationOf(floor);
  const conversation = conversants.length === 0 ? { id: floor.id } : { ...others, conversants };
  return {
    conversationId: floor.id,
    delivery,
    to,
    envelope: envelope({ conversation, sender: self, events: [getManifests({ to: addressee })] }),
    turn: "manifests",
    depth: 0,
    floors: [],
    isInvite: true,
    isDelegation: false,
    ...(isCheck && { isCheck }),
    ...(dialect !== undefined && { dialect }),
    peers: peersOf(floor),
    background: async () => ({ peers: peersOf(floor), carried: carriedOf(floor) }),
    get signal() {
      return stop.signal;
    },
    stop,
    onRetry: () => {},
    onDraft: () => {},
  };
}

/** The manifest of this speaker; several agents may share an address. */
function manifestIn({ events }: Envelope, speakerUri: string): Manifest | undefined {
  const manifests = events.flatMap((event) =>
    event.eventType === "publishManifests" ? (event.parameters?.servicingManifests ?? []) : [],
  );
  return manifests.find(({ identification }) => isSameUri(identification.speakerUri, speakerUri)) ?? manifests[0];
}
