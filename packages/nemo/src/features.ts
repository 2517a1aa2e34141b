import { type Feature, isRecord, readJson } from "@plenary/protocol";
import { clipped, wordsOf } from "./format-text.ts";
import { troubleIn } from "./messages/error-content.ts";
import type { ErrorContent } from "./messages/server-message.ts";

/** What an agent did on its way to an answer; `parent` is the id of the step that it was part of. */
export type Step = { id: string; parent?: string; name: string; payload: string };

/** The feature `steps` of an utterance: not spoken, and shown to whoever wants to know how an answer came about. */
export const stepsMimeType = "application/vnd.plenary.steps+json";

export const stepsFeatureName = "steps";

/** Of one utterance. Of more than these the last ones are shown. */
const stepsMax = 200;
const idLengthMax = 200;
const nameLengthMax = 200;
const payloadLengthMax = 16_000;

/** `trace` is the trace of whoever took the steps. */
export function stepsFeature(steps: readonly Step[], trace?: string): Feature {
  const value = { steps: steps.map((step) => ({ ...step })), ...(trace !== undefined && { trace }) };
  return { mimeType: stepsMimeType, tokens: [{ value }] };
}

/** The steps of an utterance, whoever wrote them and however: what cannot be shown is left out, what is long is cut. */
export function stepsIn(features: Readonly<Record<string, Feature>>): { steps: Step[]; trace?: string } {
  const named = Object.hasOwn(features, stepsFeatureName) ? features[stepsFeatureName] : undefined;
  const feature = named ?? Object.values(features).find(({ mimeType }) => mimeType === stepsMimeType);
  const value = opened(feature?.tokens[0]?.value);
  const listed = isRecord(value) ? value.steps : value;
  const all: unknown[] = Array.isArray(listed) ? listed : [];
  const steps = all.slice(-stepsMax).flatMap((one, index) => stepOf(one, String(index + 1)));
  const trace = isRecord(value) ? wordsOf(value.trace) : "";
  return { steps, ...(trace !== "" && trace.length <= idLengthMax && { trace }) };
}

function opened(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const json = readJson(value);
  return json.ok ? json.value : undefined;
}

/** `otherwise` is the id of a step that has none. None when nothing could be shown of it. */
export function stepOf(value: unknown, otherwise: string): Step[] {
  if (!isRecord(value)) return [];
  const name = clipped(wordsOf(value.name), nameLengthMax);
  const payload = clipped(wordsOf(value.payload), payloadLengthMax);
  if (name === "" && payload === "") return [];
  const id = wordsOf(value.id).slice(0, idLengthMax) || otherwise;
  const parent = wordsOf(value.parent).slice(0, idLengthMax);
  return [{ id, name: name || "Step", payload, ...(parent !== "" && parent !== id && { parent }) }];
}

/** The feature `error` of an utterance: its words say that something failed, and this is the failure itself. */
export const errorMimeType = "application/vnd.plenary.error+json";

export const errorFeatureName = "error";

export function errorFeature({ code, message, details }: ErrorContent): Feature {
  return { mimeType: errorMimeType, tokens: [{ value: { code, message, details } }] };
}

/** Of whoever wrote it: only under our own type, a code that nobody knows is another one, and what is long is cut. */
export function errorIn(features: Readonly<Record<string, Feature>>): ErrorContent | undefined {
  const feature = Object.values(features).find(({ mimeType }) => mimeType === errorMimeType);
  const value = feature?.tokens[0]?.value;
  return value === undefined ? undefined : troubleIn(value);
}
