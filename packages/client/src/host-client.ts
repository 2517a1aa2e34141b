import { assertFloorUrl, assertOperation } from "./check-arguments.ts";
import type { Operation, OperationAnswer, OperationBody, OperationQuery } from "./contract.ts";
import { Http, type Query } from "./http.ts";
import { defaultLimits, type Limits } from "./retry.ts";

export type CallOptions<Name extends Operation> = {
  /** For `:id` and others in the path. */
  params?: Readonly<Record<string, string>>;
  query?: OperationQuery<Name>;
  body?: OperationBody<Name>;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
  /** Default: `longRequestMs` of the limits. */
  timeoutMs?: number;
};

type HostOptions = { url: string; token?: string; fetch?: typeof fetch; limits?: Partial<Limits> };

/** The host interface for a program that does not speak, such as one that manages agents. */
export type HostClient = ReturnType<typeof createHostClient>;

/** Makes no request by itself. Calls reject with a FloorProblem. */
export function createHostClient({ url, token, fetch = globalThis.fetch, limits }: HostOptions) {
  assertFloorUrl(url);
  const http = new Http({ url, token, fetch, limits: { ...defaultLimits, ...limits } });
  const timeoutMs = limits?.longRequestMs ?? defaultLimits.longRequestMs;
  return {
    url,
    call: <Name extends Operation>(operation: Name, options: CallOptions<Name> = {}) =>
      callOperation(http, operation, { timeoutMs, ...options }),
    /** For an answer that is no JSON. */
    async text<Name extends Operation & `GET ${string}`>(
      operation: Name,
      options: CallOptions<Name> = {},
    ): Promise<string> {
      const { path, request } = requestOf(operation, { timeoutMs, ...options });
      return http.text(path, request);
    },
    close: () => http.close(),
  };
}

type TimedOptions<Name extends Operation> = CallOptions<Name> & { timeoutMs: number };

export async function callOperation<Name extends Operation>(
  http: Http,
  operation: Name,
  options: TimedOptions<Name>,
): Promise<OperationAnswer<Name>> {
  const { method, path, request } = requestOf(operation, options);
  return http.json(method, path, request);
}

function requestOf<Name extends Operation>(operation: Name, options: TimedOptions<Name>) {
  const { params = {}, query, body, headers = {}, signal, timeoutMs } = options;
  assertOperation(operation, params);
  const [method = "GET", pattern = ""] = operation.split(" ");
  const path = pattern.replaceAll(/:(\w+)/gu, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  return { method, path, request: { ...(query && { query: query as Query }), body, headers, signal, timeoutMs } };
}
