import type { DialogEvent } from "../model/dialog-event.ts";
import type { Envelope } from "../model/envelope.ts";
import type { To } from "../model/event.ts";
import type { Loss } from "../repair/issue.ts";

/** Known peers by address and by name: 0.9 names agents by address alone. */
export type Peers = {
  speakerUriOf: (serviceUrl: string) => string | undefined;
  serviceUrlOf: (speakerUri: string) => string | undefined;
};

export const noPeers: Peers = { speakerUriOf: () => undefined, serviceUrlOf: () => undefined };

/** Content without a place in the neutral model. The caller keeps it and passes it back when it writes to such a peer. */
export type Carried = {
  /** 0.9: one dictionary for the conversation. */
  persistentState?: Record<string, unknown>;
  /** 1.0: one value per conversant, by speakerUri. */
  conversantState?: Record<string, unknown>;
  /** 1.0: a context event that came without an invite. */
  dialogHistory?: DialogEvent[];
};

/** What translating a part needs: known peers, and the list of losses. */
export type TranslationContext = { peers: Peers; losses: Loss[] };

export type DecodeOptions = {
  peers: Peers;
  /** The addressee of a 0.9 whisper that names none. */
  receiver?: To;
};

export type Decoded = { envelope: Envelope; losses: Loss[]; carried: Carried };

export type EncodeOptions = {
  peers: Peers;
  carried: Carried;
  /** 0.9: the manifests answer a findAssistant, so they are proposed even where one goes alone. */
  isProposal?: boolean;
};

/** A document ready for JSON.stringify. */
export type Encoded = { document: Record<string, unknown>; losses: Loss[] };

/** Same addressee, compared by a name that both give. */
export function isSameAddressee(a: To | undefined, b: To | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.speakerUri !== undefined && b.speakerUri !== undefined) return a.speakerUri === b.speakerUri;
  return a.serviceUrl !== undefined && a.serviceUrl === b.serviceUrl;
}
