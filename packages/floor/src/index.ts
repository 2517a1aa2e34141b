export { isAboutOthers } from "./about-others.ts";
export { apply, fold } from "./apply.ts";
export { authority, type Condition, type Permission, type Standing, standingOf } from "./authority.ts";
export { type Because, becauseIds } from "./because.ts";
export { decide } from "./decide.ts";
export type { Decision } from "./draft.ts";
export type { DeliverEffect, Effect, Refusal } from "./effect.ts";
export { type DeliveryFact, type Entry, type ParkedEntry, type ReceivedEntry, visibleTo } from "./entry.ts";
export { entryFault } from "./entry-shape.ts";
export {
  convenerOf,
  defaultOptions,
  emptyFloor,
  type Floor,
  type FloorOptions,
  type Move,
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
export { signatureOf } from "./introduce.ts";
export { drift, problemsOfFloor, problemsOfStep } from "./invariants.ts";
export { lapsedIn } from "./lapse.ts";
export { conversationOf, focalAgent, isIdle, viewFor } from "./recipients.ts";
export { relayUrlOf } from "./relay-address.ts";
export { table, verdictOf } from "./table.ts";
export { floorVersion } from "./version.ts";
export { welcomersAmong } from "./welcome.ts";
export { answering } from "./whisper-answer.ts";
