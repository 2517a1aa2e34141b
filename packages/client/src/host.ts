// `@plenary/client/host`: without the model of conversations, so it loads neither @plenary/transcript nor @plenary/floor.
export type { Operation, OperationAnswer } from "./contract.ts";
export { type CallOptions, createHostClient, type HostClient } from "./host-client.ts";
export { FloorProblem, Unreachable } from "./problem.ts";
