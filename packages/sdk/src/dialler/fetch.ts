import { dialLimits, dialText, type TextDialler } from "./dial.ts";

/** The global `fetch` over a dialler, for callers that send and read texts and have a timeout of their own. */
export function createFetch(dialler: TextDialler): typeof globalThis.fetch {
  return async (url, { method = "GET", headers, body, signal } = {}) => {
    const { status, text } = await dialText(dialler, {
      url: String(url),
      method,
      headers: Object.fromEntries(new Headers(headers)),
      firstByteMs: dialLimits.totalMs,
      ...(typeof body === "string" && { body }),
      ...(signal && { signal }),
    });
    return new Response(text === "" ? null : text, { status });
  };
}
