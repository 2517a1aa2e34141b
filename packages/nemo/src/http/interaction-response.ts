import { isRecord } from "@plenary/protocol";
import { invalidData, isParseFailure, type ParseFailure } from "../messages/error-content.ts";
import type { ErrorContent } from "../messages/server-message.ts";

export type InteractionRead = { ok: true; texts: readonly string[] } | { ok: false; error: ErrorContent };

/**
 * Reads the answer to a question: `{response: {input_type | type, text | selected_option | selected_options}}`. The
 * toolkit documents `input_type` and `selected_options`; its code has `type` and `selected_option`. Never throws.
 */
export function parseInteractionResponse(value: unknown): InteractionRead {
  const texts = textsIn(value);
  return isParseFailure(texts) ? { ok: false, error: texts.error } : { ok: true, texts };
}

function textsIn(value: unknown): string[] | ParseFailure {
  const response = isRecord(value) ? value.response : undefined;
  if (typeof response === "string") return [response];
  if (!isRecord(response))
    return wrong("response", 'is missing; send {"response": {"input_type": "text", "text": "..."}}');
  const { text, selected_option: one, selected_options: several } = response;
  if (several !== undefined && several !== null && !Array.isArray(several)) {
    return wrong("response.selected_options", "is not a list; send a list of options");
  }
  if (Array.isArray(several)) return optionsIn(several, "response.selected_options");
  // The toolkit's code uses `selected_option` for checkboxes too.
  if (Array.isArray(one)) return optionsIn(one, "response.selected_option");
  if (one !== undefined && one !== null) return optionsIn([one], "response.selected_option");
  if (typeof text === "string") return [text];
  return wrong(
    "response",
    "has none of text, selected_option, selected_options; send the one that the prompt asks for",
  );
}

const optionsMax = 100;

function optionsIn(options: readonly unknown[], place: string): string[] | ParseFailure {
  if (options.length > optionsMax) return wrong(place, `has more than ${optionsMax} options; send fewer`);
  const chosen = options.map(optionIn);
  const isWhole = (texts: (string | undefined)[]): texts is string[] => !texts.includes(undefined);
  return isWhole(chosen) ? chosen : wrong(place, 'is not an option; send {"value": "..."} as the prompt has it');
}

/** The value of an option, or its label or id. */
function optionIn(option: unknown): string | undefined {
  const named = isRecord(option) ? (option.value ?? option.label ?? option.id) : option;
  return typeof named === "string" || typeof named === "number" || typeof named === "boolean"
    ? String(named)
    : undefined;
}

function wrong(place: string, what: string): ParseFailure {
  return invalidData(`${place} ${what}.`);
}
