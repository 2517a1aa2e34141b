export { apply, floorVersion, fold } from "./apply.ts";
export { authority, type Condition, type Permission, type Standing, standingOf } from "./authority.ts";
export { decide } from "./decide.ts";
export type { Decision } from "./decision-builder.ts";
export { signatureOf } from "./delivery/conversant-listing.ts";
export { isAboutOthers } from "./delivery/missed-delivery.ts";
export { conversationOf, focalAgent, isIdle, viewFor } from "./delivery/recipients.ts";
export { relayUrlOf } from "./delivery/relay-address.ts";
export type { DeliverEffect, Effect, Refusal } from "./effect.ts";
export type { DeliveryFact, Entry, ParkedEntry, ReceivedEntry } from "./entry.ts";
export { entryFault } from "./entry-shape.ts";
export { lapsedQuestionOf } from "./events/question-timeout.ts";
export { whispererOf } from "./events/whisper-answer.ts";
export {
  type AddressChange,
  convenerOf,
  emptyFloor,
  type Floor,
  type OpenDelivery,
  openDelivery,
  ownerOf,
  type Quota,
  type Seat,
  seatNamed,
  seatOf,
} from "./floor.ts";
export type {
  AnswerInput,
  Command,
  CommandFacts,
  CommandInput,
  EnvelopeInput,
  Facts,
  Failure,
  Input,
  LapsedQuestion,
  LeftOutEvent,
  TimerInput,
  Unsent,
} from "./input.ts";
export { drift, problemsOfFloor, problemsOfStep } from "./invariants.ts";
export { defaultOptions, type FloorOptions } from "./options.ts";
export { type Because, becauseIds } from "./rules.ts";
export { table, verdictOf } from "./table.ts";
export { visibleTo } from "./visibility.ts";
