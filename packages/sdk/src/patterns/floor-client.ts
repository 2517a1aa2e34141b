import { isRecord } from "@plenary/protocol";
import { type Dialler, type DialRequest, dialText } from "../dialler/dial.ts";
import { DialError } from "../dialler/dial-error.ts";
import { createDialler } from "../dialler.ts";
import { depthMax, parseBaggage } from "./baggage.ts";

/** The floor of the sub-floors, and the credentials of the mediator. */
export type FloorAccess = {
  /** The address of the floor in a browser. */
  floor: string;
  /** A key for the mediator with the right to host: `plenary keys add --host --speaker URI` (D26). */
  token: string;
  /** The mediator's speakerUri, in the outer conversation and in the sub-floor. */
  as: string;
  /** Default: one that reaches this floor. */
  dialler?: Dialler;
  /**
   * The baggage of the event being answered, so that chains of floors end (D17). Without it everything the mediator says in
   * a sub-floor is one turn, which the floor pauses after 16 hops.
   */
  baggage?: string;
  /** The W3C trace of the event being answered. */
  traceparent?: string;
  signal?: AbortSignal;
};

export type SubFloorErrorCode =
  /** The token is unknown, or belongs to another speaker. */
  | "unauthorised"
  /** The token may speak but not open conversations. */
  | "may-not-host"
  | "unreachable"
  /** The turn passed too many floors and agents. */
  | "too-deep"
  /** The sub-floor is closed, or not visible to this speaker. */
  | "closed"
  | "refused";

export class SubFloorError extends Error {
  override readonly name = "SubFloorError";
  readonly code: SubFloorErrorCode;
  readonly status: number | undefined;

  constructor(code: SubFloorErrorCode, problem: string, options: { status?: number; cause?: unknown } = {}) {
    super(problem, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.status = options.status;
  }
}

type FloorRequest = {
  method: "GET" | "POST";
  path: string;
  body?: object;
  /** D27: wait until the turn is idle, at most this long. */
  waitS?: number;
  /** Sent even if the signal of the mediator is aborted. */
  isLast?: boolean;
};

/** Returns the JSON object of the response. Rejects with `SubFloorError`. */
export type FloorCall = (request: FloorRequest) => Promise<Record<string, unknown>>;

export function createFloorClient(access: FloorAccess): { call: FloorCall; close: () => Promise<void> } {
  const { floor } = access;
  if (!URL.canParse(floor))
    throw new SubFloorError("unreachable", "floor: the address of a floor must be an http or https URL");
  const base = new URL(floor.endsWith("/") ? floor : `${floor}/`);
  // The developer chose the floor, so its address is not checked.
  const own = access.dialler === undefined ? createDialler({ mode: "local", exemptOrigins: [base.origin] }) : undefined;
  const dialler = access.dialler ?? own;
  let isOver = false;
  return {
    async call(request) {
      if (dialler === undefined || isOver) throw new SubFloorError("closed", "this sub-floor is closed");
      return readAnswer(await dialled(dialler, requestOf(base, access, request)), access, request);
    },
    async close() {
      isOver = true;
      await own?.close();
    },
  };
}

/** Added to the wait of the floor. */
const slackMs = 5_000;

function requestOf(
  base: URL,
  access: FloorAccess,
  { method, path, body, waitS = 0, isLast = false }: FloorRequest,
): DialRequest {
  const { token, baggage, traceparent, signal } = access;
  if (parseBaggage(baggage).depth > depthMax && !isLast) {
    throw new SubFloorError("too-deep", `this turn has passed more than ${depthMax} floors and agents`);
  }
  return {
    url: new URL(path, base).href,
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json",
      ...(body && { "content-type": "application/json" }),
      ...(waitS > 0 && { prefer: `wait=${waitS}` }),
      ...(baggage !== undefined && { baggage }),
      ...(traceparent !== undefined && { traceparent }),
    },
    ...(body && { body: JSON.stringify(body) }),
    firstByteMs: waitS * 1_000 + slackMs,
    ...(signal && !isLast && { signal }),
  };
}

async function dialled(dialler: Dialler, request: DialRequest): Promise<{ status: number; text: string }> {
  try {
    return await dialText(dialler, request);
  } catch (cause) {
    if (!(cause instanceof DialError)) throw cause;
    throw new SubFloorError("unreachable", cause.message, { cause });
  }
}

function readAnswer({ status, text }: { status: number; text: string }, { as }: FloorAccess, { path }: FloorRequest) {
  const document = objectIn(text);
  if (status < 300 && document !== undefined) return document;
  const detail = typeof document?.detail === "string" ? document.detail : `the floor answered ${status}`;
  const code = codes[status] ?? "refused";
  const isOpening = path === "api/v1/conversations" && status === 403;
  if (!isOpening) throw new SubFloorError(code, detail, { status });
  const remedy = `create a key with the right to host: plenary keys add --host --speaker ${as}`;
  throw new SubFloorError("may-not-host", `${detail}; ${remedy}`, { status });
}

const codes: Readonly<Record<number, SubFloorErrorCode>> = { 401: "unauthorised", 404: "closed", 409: "closed" };

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
