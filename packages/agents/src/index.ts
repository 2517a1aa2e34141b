export type { ReadyMadeOptions } from "./identity.ts";
export { createLlm } from "./llm/llm.ts";
export type { LlmSettings } from "./llm/settings.ts";
export { agentNamed, agentNames } from "./registry.ts";
