import type { Agent } from "@plenary/sdk";
import { createEcho } from "./echo.ts";
import { createGuide } from "./guide/guide.ts";
import type { ReadyMadeOptions } from "./identity.ts";

const makers = new Map<string, (options: ReadyMadeOptions) => Agent>([
  ["echo", createEcho],
  ["guide", createGuide],
]);

export const agentNames: readonly string[] = [...makers.keys()];

/** Undefined when there is none of that name. */
export function agentNamed(name: string, options: ReadyMadeOptions = {}): Agent | undefined {
  return makers.get(name)?.(options);
}
