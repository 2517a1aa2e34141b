import type { Envelope } from "../model/envelope.ts";
import type { Dialect } from "../model/version.ts";
import { type Encoded, type EncodeOptions, noPeers } from "./dialect.ts";
import { toOpenFloor10 } from "./openfloor-1.0/encode.ts";
import { toOvon } from "./ovon-0.9/encode.ts";

/** The document for a peer of that dialect, and the losses. Our own dialect is written without a copy. */
export function encodeEnvelope(envelope: Envelope, dialect: Dialect, options: Partial<EncodeOptions> = {}): Encoded {
  const { peers = noPeers, carried = {}, isProposal = false } = options;
  switch (dialect) {
    case "1.1":
      return { document: { openFloor: envelope }, losses: [] };
    case "1.0":
      return toOpenFloor10(envelope, { peers, carried });
    case "0.9":
      return toOvon(envelope, { peers, carried, isProposal });
  }
}
