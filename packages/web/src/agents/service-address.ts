import { texts } from "../texts/texts.ts";
export const addressMax = 2_048;

type ParsedAddress = { ok: true; url: string } | { ok: false; problem: string };

/** Checks a typed address. `problem` says what to change. */
export function parseAddress(typed: string): ParsedAddress {
  const text = typed.trim();
  if (text === "") return { ok: false, problem: texts.agents.addressMissing };
  if (/\s/u.test(text)) return { ok: false, problem: texts.agents.addressSpaces };
  if (!/^[a-z][a-z0-9+.-]*:/iu.test(text) || /^[^:/]+:\d/u.test(text)) {
    return { ok: false, problem: texts.agents.addressScheme(text) };
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { ok: false, problem: texts.agents.addressIncomplete };
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return { ok: false, problem: texts.agents.addressProtocol };
  }
  if (url.username !== "" || url.password !== "") return { ok: false, problem: texts.agents.addressPassword };
  return { ok: true, url: text };
}
