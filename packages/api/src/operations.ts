import type { AnswerOf, BodyOf, Operations, QueryOf } from "./operation.ts";
import { agentOperations } from "./operations/agents.ts";
import { commandOperations } from "./operations/commands.ts";
import { conversationOperations } from "./operations/conversations.ts";
import { envelopeOperations } from "./operations/envelopes.ts";
import { guestOperations } from "./operations/guests.ts";
import { identityOperations } from "./operations/identity.ts";
import { nemoOperations } from "./operations/nemo.ts";
import { openAiOperations } from "./operations/openai.ts";
import { serverOperations } from "./operations/server.ts";
import { webhookOperations } from "./operations/webhooks.ts";

/** Every operation of the floor. A route that is not listed here cannot be mounted. */
export const operations = {
  ...conversationOperations,
  ...commandOperations,
  ...guestOperations,
  ...agentOperations,
  ...envelopeOperations,
  ...webhookOperations,
  ...identityOperations,
  ...nemoOperations,
  ...openAiOperations,
  ...serverOperations,
} satisfies Operations;

export type Route = keyof typeof operations;

export type RouteBody<Name extends Route> = BodyOf<(typeof operations)[Name]>;
export type RouteQuery<Name extends Route> = Name extends Route ? QueryOf<(typeof operations)[Name]> : never;
export type RouteAnswer<Name extends Route> = AnswerOf<(typeof operations)[Name]>;
