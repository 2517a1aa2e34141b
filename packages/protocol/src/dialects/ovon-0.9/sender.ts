// Sender. 0.9 names it by one URI in `from`, as a rule its address; from 0.9.4 on `speakerUri` is the identity and
// `serviceUrl` the address. Who is at an address is known to the caller, or said by a manifest in the same envelope;
// else the address is the name.
// Lost going up: `to`, unless a whisper needed it, and `replyTo`. Lost going down: a speakerUri that does not follow from the
// address.
import * as Type from "typebox";
import type { Sender } from "../../model/envelope.ts";
import { uri } from "../../model/patterns.ts";
import type { Loss } from "../../repair/issue.ts";
import { type JsonPath, pointer } from "../../repair/json-path.ts";
import { type Deviation, type Note, padded } from "../../repair/shape.ts";
import type { Peers } from "../dialect.ts";
import { withoutTaken } from "../losses.ts";
import { later } from "./later-keys.ts";
import type { OvonIdentification } from "./manifest.ts";
import { fromSpeakerId } from "./speaker-id.ts";
import { isUrl } from "./to.ts";

const replyTo = Type.Optional(
  Type.Unsafe<unknown>({
    note: {
      rule: "ovon-sender-reply-to",
      known: [{ rule: "ovon-sender-reply-to", says: "here is one", is: () => true }],
    } satisfies Note,
  }),
);

// Samples of 0.9.2 and 0.9.3 name the one who gets the envelope here.
const addresseeOfAll: Deviation = {
  rule: "ovon-sender-to",
  says: "here is one",
  is: (value) => typeof value === "string",
  repair: (value) => String(value).trim(),
};

export const OvonSender = Type.Object(
  {
    from: uri("ovon-sender-from", { known: [padded("ovon-sender-from")] }),
    to: Type.Optional(
      Type.String({ minLength: 1, note: { rule: "ovon-sender-to", known: [addresseeOfAll] } satisfies Note }),
    ),
    replyTo,
    reply_to: replyTo,
  },
  { note: { rule: "ovon-sender", known: [later("speakerUri"), later("serviceUrl")] } satisfies Note },
);
export type OvonSender = Type.Static<typeof OvonSender>;

export function fromOvonSender(sender: OvonSender, published: readonly OvonIdentification[], peers: Peers): Sender {
  const { from, to: _, replyTo: __, reply_to: ___, ...others } = sender;
  if (!isUrl(from)) return { ...others, speakerUri: from };
  const speakerUri = peers.speakerUriOf(from) ?? speakerUriIn(published, from, peers) ?? from;
  return { ...others, speakerUri, serviceUrl: from };
}

/** The speakerUri in the manifests for that address, unless there are several. */
function speakerUriIn(published: readonly OvonIdentification[], address: string, peers: Peers): string | undefined {
  const speakerIds = published.flatMap(({ serviceEndpoint, speakerId }) =>
    serviceEndpoint === address && speakerId !== undefined ? [speakerId] : [],
  );
  const [speakerId, ...others] = new Set(speakerIds);
  return speakerId === undefined || others.length > 0 ? undefined : fromSpeakerId(speakerId, peers);
}

export function toOvonSender(sender: Sender, at: JsonPath, losses: Loss[]): OvonSender {
  const { speakerUri, serviceUrl, ...others } = sender;
  const kept = withoutTaken(others, ["from", "to", "replyTo", "reply_to"], at, losses);
  return { ...kept, from: serviceUrl ?? speakerUri };
}

/** The fields that cannot be restored from `from`. */
export function senderLosses(sender: Sender, back: Sender, at: JsonPath): Loss[] {
  const keys = (["speakerUri", "serviceUrl"] as const).filter((key) => sender[key] !== back[key]);
  return keys.map((key) => ({
    path: pointer({ up: at, key }),
    why: `0.9 names the sender by one string, which does not tell its ${key}`,
  }));
}
