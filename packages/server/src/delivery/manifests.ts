import { conversationOf, type Effect, emptyFloor, type Floor, seatOf } from "@plenary/floor";
import { conversantOf, type Envelope, envelope, getManifests, isSameUri, type Manifest } from "@plenary/protocol";
import { carriedOf, peersOf } from "../conversation/decode.ts";
import type { Receiver } from "../conversation/receive.ts";
import { Problem } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Letter, Outbound, Outcome, Self } from "../ports/outbound.ts";
import type { FloorStore } from "../ports/store.ts";
import type { DeliveryLimits } from "./limits.ts";

/** How a request to an agent ended; `manifest` where the request asked for it. */
export type Learned = { outcome: Outcome; manifest?: Manifest };

/** Hears how it went whenever somebody was asked who it is. */
export type ManifestListener = (serviceUrl: string, learned: Learned) => void;

export type Asking = {
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
  const delivery = `manifest${floor.seq}`;
  const learned = await askWho(crew, { to: { speakerUri, serviceUrl }, floor, delivery });
  crew.onManifest(serviceUrl, learned);
  const { manifest } = learned;
  if (manifest === undefined) return;
  const { identification } = conversantOf(manifest);
  try {
    await crew.receiver.command(conversationId, { verb: "identify", speakerUri, identification });
  } catch (error) {
    // The conversation may have ended meanwhile.
    if (!(error instanceof Problem)) throw error;
  }
}

type Question = { to: Letter["to"]; floor: Floor; delivery: string; isCheck?: true };

/** Asks an agent that is at no floor of ours, or need not be, who it is: once, whatever was learned of it before. */
export function checkWho(asking: Asking, to: Letter["to"], newId: () => string): Promise<Learned> {
  // A name of its own: an agent answers a question that it has answered already without thinking.
  const delivery = `manifest-${newId()}`;
  return askWho(asking, { to, floor: emptyFloor("urn:plenary:who-are-you"), delivery, isCheck: true });
}

async function askWho(asking: Asking, question: Question): Promise<Learned> {
  const { clock, limits } = asking;
  const { to } = question;
  const outbound = asking.outbounds.find((one) => one.reaches(to));
  if (outbound === undefined) return { outcome: failed("refused-url", "nothing leads to this address") };
  const controller = new AbortController();
  const cancel = clock.at(clock.now() + limits.manifestAnswerMs, () => controller.abort());
  const outcome = await outbound.send(questionTo(question, asking.self(), controller.signal));
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

function questionTo({ to, floor, delivery, isCheck }: Question, self: Self, signal: AbortSignal): Letter {
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
