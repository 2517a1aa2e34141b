import { isLoopbackUrl } from "./client-address.ts";

/** The way out of the process for what identity asks of issuers. Follows no redirect. */
export type IdentityDial = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal?: AbortSignal },
) => Promise<Response>;

type Init = {
  method: string;
  headers: Headers | Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
};

/** The same as the libraries call it, who would else go out by themselves. Their bodies are forms. */
export function asFetch(dial: IdentityDial): (url: string, init: Init) => Promise<Response> {
  return (url, { method, headers, body, signal }) =>
    dial(url, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(body !== undefined && body !== null && { body: String(body) }),
      ...(signal !== undefined && { signal }),
    });
}

/** What an issuer says in the clear may be said by whoever is on the way. */
export function assertSafe(url: string, what: string): void {
  if (/^https:\/\//iu.test(url) && URL.canParse(url)) return;
  if (/^http:\/\//iu.test(url) && isLoopbackUrl(url)) return;
  throw new Error(`${what} must be an https URL, not ${JSON.stringify(url)}`);
}
