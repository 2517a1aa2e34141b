import type { NegativeCase } from "./case.ts";
import { conversationCases } from "./cases/conversation.ts";
import { dialogEventCases } from "./cases/dialog-event.ts";
import { envelopeCases } from "./cases/envelope.ts";
import { eventAndToCases } from "./cases/events.ts";
import { featureAndTokenCases } from "./cases/feature.ts";
import { floorEventCases } from "./cases/floor-events.ts";
import { jsonCases } from "./cases/json.ts";
import { manifestCases } from "./cases/manifest.ts";
import { ovonEnvelopeCases } from "./cases/ovon-envelope.ts";
import { ovonEventCases } from "./cases/ovon-events.ts";
import { ovonManifestCases } from "./cases/ovon-manifest.ts";
import { publishedManifestCases } from "./cases/published-manifests.ts";
import { senderCases } from "./cases/sender.ts";
import { utteranceCases } from "./cases/utterance.ts";

/** Every written case of a broken rule. */
export const negativeCases: readonly NegativeCase[] = [
  ...jsonCases,
  ...envelopeCases,
  ...conversationCases,
  ...senderCases,
  ...eventAndToCases,
  ...utteranceCases,
  ...dialogEventCases,
  ...featureAndTokenCases,
  ...floorEventCases,
  ...publishedManifestCases,
  ...manifestCases,
  ...ovonEnvelopeCases,
  ...ovonEventCases,
  ...ovonManifestCases,
];
