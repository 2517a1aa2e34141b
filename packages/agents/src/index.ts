export type { ReadyMadeOptions } from "./identity.ts";
export { agentNamed, agentNames } from "./registry.ts";
