export type DialErrorCode =
  /** The URL itself: scheme, userinfo, port, syntax. */
  | "refused-url"
  /** The address of the host. */
  | "refused-address"
  | "unreachable"
  | "timeout"
  | "redirect"
  | "too-large"
  /** The response is compressed although we did not accept it: its decoded size is unlimited. */
  | "encoded"
  /** The peer closed the connection, or sent no valid HTTP. */
  | "broken"
  /** The peer refused the WebSocket upgrade; see `status`. */
  | "refused-upgrade"
  /** The caller aborted. */
  | "aborted";

type DialErrorOptions = { isSent?: boolean; status?: number; location?: string | undefined; cause?: unknown };

/** A request or a socket failed. */
export class DialError extends Error {
  override readonly name = "DialError";
  /** Without user name, password, query and fragment, which may be secret. */
  readonly url: string;
  readonly problem: string;
  readonly code: DialErrorCode;
  /** The server may have received the request, so repeating it may act twice. */
  readonly isSent: boolean;
  /** The request was not processed, and a retry may succeed. */
  readonly retryable: boolean;
  readonly status: number | undefined;
  /** The Location header of a redirect. */
  readonly location: string | undefined;

  constructor(url: string, code: DialErrorCode, problem: string, options: DialErrorOptions = {}) {
    const { isSent = false, status, location, cause } = options;
    const redacted = redactedUrl(url);
    super(`${redacted}: ${problem}`, cause === undefined ? {} : { cause });
    this.url = redacted;
    this.problem = problem;
    this.code = code;
    this.isSent = isSent;
    this.retryable = !isSent && (code === "unreachable" || code === "timeout");
    this.status = status;
    this.location = location;
  }
}

const urlCharsMax = 200;

/** A URL for errors and logs. An invalid URL is left out, because its secret part is unknown. */
function redactedUrl(url: string): string {
  if (!URL.canParse(url)) return "an invalid URL";
  const { protocol, host, pathname } = new URL(url);
  return (host === "" ? protocol : `${protocol}//${host}${pathname}`).slice(0, urlCharsMax);
}
