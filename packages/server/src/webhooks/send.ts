import { isDialFailure } from "../delivery/http/attempt.ts";
import { redirectDetail, retryAfterMs } from "../delivery/http/judge-response.ts";
import { signatureHeaders } from "../delivery/http/signature.ts";
import type { WebhookLimits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Dialler } from "../ports/dialler.ts";
import type { Webhook, WebhookMessage } from "./webhook.ts";

export type SendContext = {
  clock: Clock;
  dialler: Dialler;
  limits: WebhookLimits;
  connectMs: number;
};

export type SendOutcome = { kind: "delivered"; status: number } | { kind: "aborted" } | FailedSend;

export type FailedSend = {
  kind: "failed";
  failure: string;
  status?: number;
  /** The receiver asks for this pause. */
  afterMs?: number;
  /** Further attempts are useless: the webhook is disabled. */
  isFinal?: true;
};

/** One signed POST. Only the status counts; the body of the answer is ignored. */
export async function send(
  context: SendContext,
  hook: Webhook,
  message: WebhookMessage,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { clock, dialler, limits, connectMs } = context;
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  const { answerMs } = limits;
  const cancel = clock.at(clock.now() + answerMs, abort);
  try {
    const response = await dialler.dial({
      url: hook.url,
      body: message.body,
      headers: headersOf(hook, message, clock.now()),
      signal: controller.signal,
      connectMs,
      firstByteMs: answerMs,
      silenceMs: answerMs,
      totalMs: answerMs,
    });
    await skip(response.body, limits.answerBytesMax);
    return judge(hook, response, clock.now());
  } catch (error) {
    if (signal.aborted) return { kind: "aborted" };
    if (controller.signal.aborted) return failed(`it did not answer within ${answerMs / 1_000} seconds`);
    return dialFailure(hook, error);
  } finally {
    cancel();
    signal.removeEventListener("abort", abort);
    abort();
  }
}

function headersOf({ secrets }: Webhook, { id, body }: WebhookMessage, nowMs: number): Record<string, string> {
  const live = secrets.filter(({ untilMs }) => untilMs === undefined || untilMs > nowMs).map(({ secret }) => secret);
  return {
    "content-type": "application/json",
    "webhook-id": id,
    ...signatureHeaders({ id, body, secrets: live, nowMs }),
  };
}

/** A short body is read, so that the connection can be used again. */
async function skip(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) break;
    }
  } catch (error) {
    // The receiver has answered: a body that breaks does not matter.
    if (!(error instanceof Error)) throw error;
  }
}

type Answer = { status: number; headers: { get(name: string): string | null } };

function judge({ url }: Webhook, { status, headers }: Answer, nowMs: number): SendOutcome {
  if (status >= 200 && status < 300) return { kind: "delivered", status };
  if (status === 410) return { ...failed("it answered 410 Gone"), status, isFinal: true };
  if (status >= 300 && status < 400) {
    return { ...failed(redirectFailure(status, headers.get("location"), url)), status };
  }
  const afterMs = retryAfterMs(headers.get("retry-after"), nowMs);
  return { ...failed(`it answered ${status}`), status, ...(afterMs !== undefined && { afterMs }) };
}

function dialFailure({ url }: Webhook, error: unknown): SendOutcome {
  if (!isDialFailure(error)) return failed("the connection broke");
  const { code, message, location } = error;
  if (code === "redirect") return failed(redirectFailure(300, location, url));
  return { ...failed(message), ...(isRefusal(error) && { isFinal: true }) };
}

/** The dialler does not allow this address (D32). */
export function isRefusal(error: unknown): error is Error {
  return isDialFailure(error) && (error.code === "refused-url" || error.code === "refused-address");
}

function redirectFailure(status: number, location: string | null | undefined, url: string): string {
  return `${redirectDetail(status, location, url)}; redirects are not followed`;
}

function failed(failure: string) {
  return { kind: "failed", failure } as const;
}
