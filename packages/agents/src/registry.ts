import type { Agent } from "@plenary/sdk";
import { createCalculator } from "./calculator/calculator.ts";
import { createClock } from "./clock/clock.ts";
import { conveners } from "./convener/registry.ts";
import { createDiscovery } from "./discovery/discovery.ts";
import { createEcho } from "./echo.ts";
import { createGuide } from "./guide/guide.ts";
import type { ReadyMadeOptions } from "./identity.ts";
import { createInterviewer } from "./interviewer/interviewer.ts";
import { createScribe } from "./scribe/scribe.ts";

/** In the order of the lists that people see: conveners come last. */
const makers = new Map<string, (options: ReadyMadeOptions) => Agent>([
  ["guide", createGuide],
  ["clock", createClock],
  ["calculator", createCalculator],
  ["scribe", createScribe],
  ["discovery", createDiscovery],
  ["interviewer", createInterviewer],
  ["echo", createEcho],
  ...conveners,
]);

export const agentNames: readonly string[] = [...makers.keys()];

/**
 * The agents that a new conversation begins with: two that answer on their subject and the guide. The guide comes last,
 * so that its first task is the last message.
 */
export const defaultAgentNames: readonly string[] = ["clock", "calculator", "guide"];

/** Undefined for an unknown name. */
export function agentNamed(name: string, options: ReadyMadeOptions = {}): Agent | undefined {
  return makers.get(name)?.(options);
}
