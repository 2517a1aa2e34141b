import { bindingAcceptance } from "./bindings.ts";
import { logAcceptance } from "./conversation-log.ts";
import { erasureAcceptance } from "./erasure.ts";
import type { AcceptanceCase } from "./fixture.ts";
import { lookupAcceptance } from "./lookups.ts";
import { outboxAcceptance } from "./outbox.ts";
import { agentAcceptance, catalogueAcceptance, feedbackAcceptance, settingAcceptance } from "./side-tables.ts";
import { titleAcceptance } from "./titles.ts";
import { webhookAcceptance } from "./webhooks.ts";

/** The required behaviour of every store. */
export const storeAcceptance: readonly AcceptanceCase[] = [
  ...logAcceptance,
  ...titleAcceptance,
  ...lookupAcceptance,
  ...bindingAcceptance,
  ...outboxAcceptance,
  ...erasureAcceptance,
  ...settingAcceptance,
  ...agentAcceptance,
  ...catalogueAcceptance,
  ...feedbackAcceptance,
  ...webhookAcceptance,
];
