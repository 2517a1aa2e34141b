import { conversationOf, type Effect, emptyFloor, type Floor, seatOf } from "@plenary/floor";
import { conversantOf, type Envelope, envelope, getManifests, isSameUri, type Manifest } from "@plenary/protocol";
import { carriedOf, peersOf } from "./decode.ts";
import { Problem } from "./errors.ts";
import type { DeliveryLimits } from "./outbound/limits.ts";
import type { Clock, FloorStore, Letter, Outbound, Self } from "./ports.ts";
import type { Receiver } from "./receive.ts";

export type ManifestListener = (serviceUrl: string, manifest: Manifest | undefined) => void;

type Asking = {
  clock: Clock;
  outbounds: readonly Outbound[];
  limits: DeliveryLimits;
  self: () => Self;
};

type Crew = Asking & { store: FloorStore; receiver: Receiver; onManifest: ManifestListener };

/** D14: who a newcomer is, asked beside the log. Whatever else its answer says, or its failing to, has no effect. */
export async function askForManifest(
  crew: Crew,
  conversationId: string,
  { speakerUri, serviceUrl }: Effect & { kind: "askManifest" },
): Promise<void> {
  const floor = await crew.store.load(conversationId);
  if (floor === undefined) return;
  const manifest = await manifestAt(crew, { speakerUri, serviceUrl }, floor);
  crew.onManifest(serviceUrl, manifest);
  if (manifest === undefined) return;
  const { identification } = conversantOf(manifest);
  try {
    await crew.receiver.command(conversationId, { verb: "identify", speakerUri, identification });
  } catch (error) {
    // The conversation may have ended meanwhile.
    if (!(error instanceof Problem)) throw error;
  }
}

/** Asks an agent that may be at no floor of ours who it is. */
export async function manifestAt(
  asking: Asking,
  to: { speakerUri: string; serviceUrl: string },
  floor: Floor = emptyFloor("urn:plenary:who-are-you"),
): Promise<Manifest | undefined> {
  const outbound = asking.outbounds.find((one) => one.reaches(to));
  if (outbound === undefined) return undefined;
  const controller = new AbortController();
  const { clock, limits } = asking;
  const cancel = clock.at(clock.now() + limits.manifestAnswerMs, () => controller.abort());
  const outcome = await outbound.send(questionTo(to, floor, asking.self(), controller.signal));
  cancel();
  return outcome.kind === "envelope" ? manifestIn(outcome.envelope, to.speakerUri) : undefined;
}

function questionTo(to: Letter["to"], floor: Floor, self: Self, signal: AbortSignal): Letter {
  const addressee = to.speakerUri === to.serviceUrl ? { serviceUrl: to.serviceUrl } : to;
  const dialect = seatOf(floor, to.speakerUri)?.dialect;
  const { conversants = [], ...others } = conversationOf(floor);
  const conversation = conversants.length === 0 ? { id: floor.id } : { ...others, conversants };
  return {
    conversationId: floor.id,
    delivery: `manifest${floor.seq}`,
    to,
    envelope: envelope({ conversation, sender: self, events: [getManifests({ to: addressee })] }),
    turn: "manifests",
    depth: 0,
    floors: [],
    isInvite: true,
    isDelegation: false,
    ...(dialect !== undefined && { dialect }),
    peers: peersOf(floor),
    background: async () => ({ peers: peersOf(floor), carried: carriedOf(floor) }),
    signal,
    onRetry: () => {},
    onDraft: () => {},
  };
}

/** Its own manifest; several agents may share an address. */
function manifestIn({ events }: Envelope, speakerUri: string): Manifest | undefined {
  const manifests = events.flatMap((event) =>
    event.eventType === "publishManifests" ? (event.parameters?.servicingManifests ?? []) : [],
  );
  return manifests.find(({ identification }) => isSameUri(identification.speakerUri, speakerUri)) ?? manifests[0];
}
