import type { DialFailure, Dialler, DialRequest } from "../ports/dialler.ts";

/** An agent in this process. `caller`: the network address of an external caller. */
export type LocalAgent = (request: Request, at?: { caller?: string }) => Promise<Response>;

/** Calls agents of this process directly; passes every other request to the next dialler. */
export function createLocalDialler(agentAt: (url: string) => LocalAgent | undefined, next: Dialler): Dialler {
  return {
    async dial(request) {
      const agent = agentAt(request.url);
      return agent === undefined ? next.dial(request) : call(agent, request);
    },
  };
}

async function call(agent: LocalAgent, { url, body, headers, signal, onSent }: DialRequest) {
  const aborted = whenAborted(signal);
  onSent?.();
  try {
    const request = new Request(url, { method: "POST", body, headers, signal });
    const response = await Promise.race([agent(request), aborted]);
    return {
      status: response.status,
      headers: response.headers,
      body: chunksOf(response, aborted),
    };
  } catch (cause) {
    throw new LocalAgentError(cause, signal.aborted ? "aborted" : "broken");
  }
}

class LocalAgentError extends Error implements DialFailure {
  override readonly name = "LocalAgentError";
  readonly code: string;
  readonly isSent = true;
  readonly retryable = false;

  constructor(cause: unknown, code: string) {
    super("the agent failed", { cause });
    this.code = code;
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(new Error("the request was aborted"));
    if (signal.aborted) fail();
    else signal.addEventListener("abort", fail, { once: true });
  });
  // A rejection without a listener is not a failure.
  aborted.catch(() => {});
  return aborted;
}

async function* chunksOf(response: Response, aborted: Promise<never>): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), aborted]);
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
