import { isRecord } from "@plenary/protocol";
import { type Dialler, type DialRequest, exchangeText } from "../dialler/dial.ts";
import { DialError } from "../dialler/dial-error.ts";
import { createDialler } from "../dialler.ts";
import { depthMax, trailIn } from "./baggage.ts";

/** How a mediator reaches the floor that its sub-floors are on. */
export type FloorAccess = {
  /** Of the floor, as a browser would open it. */
  floor: string;
  /** A key of the mediator's own that may host: `plenary keys add --host --speaker URI` (D26). */
  token: string;
  /** The mediator's speakerUri, in the outer conversation and in the sub-floor. */
  as: string;
  /** Default: one that reaches this floor. */
  dialler?: Dialler;
  /**
   * Of the event that is being answered, so that chains of floors end (D17). Without it all that the mediator says in a
   * sub-floor is one turn, which the floor pauses after 16 hops.
   */
  baggage?: string;
  /** The same, for whoever follows traces over floors. */
  traceparent?: string;
  signal?: AbortSignal;
};

export type SubFloorErrorCode =
  /** The token is nobody's, or not of the one who asks. */
  | "unauthorised"
  /** The token may speak, and may not open conversations. */
  | "may-not-host"
  | "unreachable"
  /** Too many floors behind it. */
  | "too-deep"
  /** It has ended, or is not there for this speaker. */
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
  /** D27: until the turn is idle, or so long. */
  waitS?: number;
  /** It is done though nobody waits for the mediator any longer. */
  isLast?: boolean;
};

/** The floor's answer, or why there is none. */
export type FloorCall = (request: FloorRequest) => Promise<Record<string, unknown>>;

export function createFloorCall(access: FloorAccess): { call: FloorCall; close: () => Promise<void> } {
  const { floor } = access;
  if (!URL.canParse(floor))
    throw new SubFloorError("unreachable", "floor: the address of a floor is an http or https URL");
  const base = new URL(floor.endsWith("/") ? floor : `${floor}/`);
  // The floor is the developer's own choice, so its address is not judged.
  const own = access.dialler === undefined ? createDialler({ mode: "local", exemptOrigins: [base.origin] }) : undefined;
  const dialler = access.dialler ?? own;
  let isOver = false;
  return {
    async call(request) {
      if (dialler === undefined || isOver) throw new SubFloorError("closed", "this sub-floor was closed");
      return answered(await dialled(dialler, requestOf(base, access, request)), access, request);
    },
    async close() {
      isOver = true;
      await own?.close();
    },
  };
}

/** Between the floor's patience and ours. */
const slackMs = 5_000;

function requestOf(
  base: URL,
  access: FloorAccess,
  { method, path, body, waitS = 0, isLast = false }: FloorRequest,
): DialRequest {
  const { token, baggage, traceparent, signal } = access;
  if (trailIn(baggage).depth > depthMax && !isLast) {
    throw new SubFloorError(
      "too-deep",
      `this turn has come over more than ${depthMax} floors and agents: it ends here`,
    );
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
    return await exchangeText(dialler, request);
  } catch (cause) {
    if (!(cause instanceof DialError)) throw cause;
    throw new SubFloorError("unreachable", cause.message, { cause });
  }
}

function answered({ status, text }: { status: number; text: string }, { as }: FloorAccess, { path }: FloorRequest) {
  const document = objectIn(text);
  if (status < 300 && document !== undefined) return document;
  const detail = typeof document?.detail === "string" ? document.detail : `the floor answered ${status}`;
  const code = codes[status] ?? "refused";
  const isOpening = path === "api/v1/conversations" && status === 403;
  if (!isOpening) throw new SubFloorError(code, detail, { status });
  const remedy = `give the mediator a key that may: plenary keys add --host --speaker ${as}`;
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
