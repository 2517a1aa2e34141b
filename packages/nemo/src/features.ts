import { type Feature, isRecord, readJson } from "@plenary/protocol";
import { clipText, toText } from "./format-text.ts";
import { readErrorContent } from "./messages/error-content.ts";
import type { ErrorContent } from "./messages/server-message.ts";

/** A step of the work on an answer. `parent` is the id of the enclosing step. */
export type Step = { id: string; parent?: string; name: string; payload: string };

/** The feature `steps` of an utterance. Clients can show how the answer was made. */
export const stepsMimeType = "application/vnd.plenary.steps+json";

export const stepsFeatureName = "steps";

/** Per utterance. Of more steps, the last ones are kept. */
const stepsMax = 200;
const idLengthMax = 200;
const nameLengthMax = 200;
const payloadLengthMax = 16_000;

/** `trace` is the trace id of the agent that took the steps. */
export function stepsFeature(steps: readonly Step[], trace?: string): Feature {
  const value = { steps: steps.map((step) => ({ ...step })), ...(trace !== undefined && { trace }) };
  return { mimeType: stepsMimeType, tokens: [{ value }] };
}

/** The steps of an utterance. They are untrusted: invalid steps are left out, long texts are cut. */
export function stepsIn(features: Readonly<Record<string, Feature>>): { steps: Step[]; trace?: string } {
  const named = Object.hasOwn(features, stepsFeatureName) ? features[stepsFeatureName] : undefined;
  const feature = named ?? Object.values(features).find(({ mimeType }) => mimeType === stepsMimeType);
  const value = opened(feature?.tokens[0]?.value);
  const listed = isRecord(value) ? value.steps : value;
  const all: unknown[] = Array.isArray(listed) ? listed : [];
  const steps = all.slice(-stepsMax).flatMap((one, index) => stepOf(one, String(index + 1)));
  const trace = isRecord(value) ? toText(value.trace) : "";
  return { steps, ...(trace !== "" && trace.length <= idLengthMax && { trace }) };
}

function opened(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const json = readJson(value);
  return json.ok ? json.value : undefined;
}

/** Returns one step, or none when it has no name and no payload. `otherwise` is the id of a step without one. */
export function stepOf(value: unknown, otherwise: string): Step[] {
  if (!isRecord(value)) return [];
  const name = clipText(toText(value.name), nameLengthMax);
  const payload = clipText(toText(value.payload), payloadLengthMax);
  if (name === "" && payload === "") return [];
  const id = toText(value.id).slice(0, idLengthMax) || otherwise;
  const parent = toText(value.parent).slice(0, idLengthMax);
  return [{ id, name: name || "Step", payload, ...(parent !== "" && parent !== id && { parent }) }];
}

/** The feature `error` of an utterance that says that something failed. */
export const errorMimeType = "application/vnd.plenary.error+json";

export const errorFeatureName = "error";

export function errorFeature({ code, message, details }: ErrorContent): Feature {
  return { mimeType: errorMimeType, tokens: [{ value: { code, message, details } }] };
}

/** The error is untrusted: an unknown code becomes `unknown_error`, long texts are cut. */
export function errorIn(features: Readonly<Record<string, Feature>>): ErrorContent | undefined {
  const feature = Object.values(features).find(({ mimeType }) => mimeType === errorMimeType);
  const value = feature?.tokens[0]?.value;
  return value === undefined ? undefined : readErrorContent(value);
}
