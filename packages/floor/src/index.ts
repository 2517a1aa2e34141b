export { apply, fold } from "./apply.ts";
export { authority, type Condition, type Permission, type Standing, standingOf } from "./authority.ts";
export { type Because, becauseIds } from "./because.ts";
export { decide } from "./decide.ts";
export type { Decision } from "./draft.ts";
export type { DeliverEffect, Effect, Refusal } from "./effect.ts";
export { type Entry, visibleTo } from "./entry.ts";
export {
  convenerOf,
  defaultOptions,
  emptyFloor,
  type Floor,
  type FloorOptions,
  type OpenDelivery,
  openDelivery,
  ownerOf,
  type Quota,
  type Seat,
  seatNamed,
  seatOf,
} from "./floor.ts";
export type { AnswerInput, Command, CommandInput, EnvelopeInput, Facts, Failure, Input, TimerInput } from "./input.ts";
export { drift, problemsOfFloor, problemsOfStep } from "./invariants.ts";
export { conversationOf, focalAgent, isIdle } from "./recipients.ts";
export { table, verdictOf } from "./table.ts";
export { floorVersion } from "./version.ts";
