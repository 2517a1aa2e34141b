export type DialErrorCode =
  /** The URL itself: scheme, userinfo, port, syntax. */
  | "refused-url"
  /** Where the host leads. */
  | "refused-address"
  | "unreachable"
  | "timeout"
  | "redirect"
  | "too-large"
  /** The answer is compressed though we asked for none: it could grow without end. */
  | "encoded"
  /** The peer closed, or spoke no HTTP. */
  | "broken"
  /** A socket was wanted and the peer said no; `status` tells which. */
  | "refused-upgrade"
  /** The caller lost interest. */
  | "aborted";

type DialErrorOptions = { isSent?: boolean; status?: number; location?: string | undefined; cause?: unknown };

/** Nothing usable came back from the far end. */
export class DialError extends Error {
  override readonly name = "DialError";
  /** Without what may be secret: user name, password, query and fragment. */
  readonly url: string;
  readonly problem: string;
  readonly code: DialErrorCode;
  /** The far end may have seen the request, so that repeating it could act twice. */
  readonly isSent: boolean;
  /** Surely not processed, and trying again may help. */
  readonly retryable: boolean;
  readonly status: number | undefined;
  /** Of a redirect: the address that it names, as it stands in the answer. */
  readonly location: string | undefined;

  constructor(url: string, code: DialErrorCode, problem: string, options: DialErrorOptions = {}) {
    const { isSent = false, status, location, cause } = options;
    const place = placeOf(url);
    super(`${place}: ${problem}`, cause === undefined ? {} : { cause });
    this.url = place;
    this.problem = problem;
    this.code = code;
    this.isSent = isSent;
    this.retryable = !isSent && (code === "unreachable" || code === "timeout");
    this.status = status;
    this.location = location;
  }
}

const placeCharsMax = 200;

/** A URL as errors and logs may repeat it. Of one that cannot be read nobody knows which part is the secret. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return "a URL that cannot be read";
  const { protocol, host, pathname } = new URL(url);
  return (host === "" ? protocol : `${protocol}//${host}${pathname}`).slice(0, placeCharsMax);
}
