import { isLoopbackUrl } from "./client-address.ts";

/** Sends requests to token issuers. Follows no redirects. */
export type IssuerDial = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal?: AbortSignal },
) => Promise<Response>;

type Init = { method: string; headers: Headers | Record<string, string>; body?: unknown; signal?: AbortSignal };

/** Adapts the dialler to `fetch` for the libraries, whose request bodies are forms. */
export function asFetch(dial: IssuerDial): (url: string, init: Init) => Promise<Response> {
  return (url, { method, headers, body, signal }) =>
    dial(url, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body !== undefined && body !== null && { body: String(body) }),
      ...(signal !== undefined && { signal }),
    });
}

/** Unencrypted responses of an issuer could be forged on the way. */
export function assertSafe(url: string, what: string): void {
  if (/^https:\/\//iu.test(url) && URL.canParse(url)) return;
  if (/^http:\/\//iu.test(url) && isLoopbackUrl(url)) return;
  throw new Error(`${what} must be an https URL, not ${JSON.stringify(url)}`);
}
