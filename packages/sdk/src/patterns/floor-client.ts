import {
  type CallOptions,
  createHostClient,
  FloorProblem,
  type Operation,
  type OperationAnswer,
} from "@plenary/client/host";
import type { Dialler } from "../dialler/dial.ts";
import { DialError } from "../dialler/dial-error.ts";
import { createFetch } from "../dialler/fetch.ts";
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

type FloorRequest<Name extends Operation> = Pick<CallOptions<Name>, "params" | "query" | "body"> & {
  /** D27: wait until the turn is idle, at most this long. */
  waitS?: number;
  /** Sent even if the signal of the mediator is aborted. */
  isLast?: boolean;
};

export type FloorClient = {
  /** Rejects with `SubFloorError`. */
  call<Name extends Operation>(operation: Name, request: FloorRequest<Name>): Promise<OperationAnswer<Name>>;
  close(): Promise<void>;
};

/** Added to the wait of the floor. */
const slackMs = 10_000;

export function createFloorClient(access: FloorAccess): FloorClient {
  const { floor, token, baggage, traceparent, signal } = access;
  if (!URL.canParse(floor))
    throw new SubFloorError("unreachable", "floor: the address of a floor must be an http or https URL");
  const { origin, pathname } = new URL(floor);
  // The developer chose the floor, so its address is not checked.
  const dialler = access.dialler ?? createDialler({ mode: "local", exemptOrigins: [origin] });
  const url = `${origin}${pathname.replace(/\/$/u, "")}`;
  const host = createHostClient({ url, token, fetch: createFetch(dialler) });
  let isOver = false;
  return {
    async call(operation, { waitS = 0, isLast = false, ...request }) {
      if (isOver) throw new SubFloorError("closed", "this sub-floor is closed");
      if (parseBaggage(baggage).depth > depthMax && !isLast) {
        throw new SubFloorError("too-deep", `this turn has passed more than ${depthMax} floors and agents`);
      }
      const headers = {
        ...(waitS > 0 && { prefer: `wait=${waitS}` }),
        ...(baggage !== undefined && { baggage }),
        ...(traceparent !== undefined && { traceparent }),
      };
      const timeoutMs = waitS * 1_000 + slackMs;
      try {
        return await host.call(operation, { ...request, headers, timeoutMs, signal: isLast ? undefined : signal });
      } catch (error) {
        throw subFloorError(error, operation, access.as);
      }
    },
    async close() {
      isOver = true;
      if (access.dialler === undefined) await dialler.close();
    },
  };
}

function subFloorError(error: unknown, operation: Operation, as: string): SubFloorError {
  if (!(error instanceof FloorProblem)) return new SubFloorError("unreachable", "the caller aborted", { cause: error });
  const { status, message, cause, detail = message } = error;
  // A timeout of the client aborts the dialler.
  const isDialled = cause instanceof DialError && cause.code !== "aborted";
  if (status === 0) return new SubFloorError("unreachable", isDialled ? cause.message : message, { cause: error });
  const isOpening = operation === "POST /api/v1/conversations" && status === 403;
  if (!isOpening) return new SubFloorError(codes[status] ?? "refused", message, { status, cause: error });
  const remedy = `create a key with the right to host: plenary keys add --host --speaker ${as}`;
  return new SubFloorError("may-not-host", `${detail}; ${remedy}`, { status, cause: error });
}

const codes: Readonly<Record<number, SubFloorErrorCode>> = { 401: "unauthorised", 404: "closed", 409: "closed" };
