import {
  bodyFault,
  type Operation,
  operations,
  parseQuery,
  type RequestFault,
  type Route,
  type RouteBody,
  type RouteQuery,
} from "@plenary/api";
import type { Identification } from "@plenary/protocol";
import { Problem } from "../errors.ts";
import { readJsonObject } from "./body.ts";

/** The operations that programs of hosts use; unknown fields are refused here. */
export type HostRoute = Extract<Route, `${string} /api/v1/${string}`>;

export function isHostRoute(route: Route): route is HostRoute {
  return route.includes(" /api/v1/");
}

export function invalidField(pointer: string, detail: string): Problem {
  return new Problem("bad-request", { pointer, detail: `${pointer}: ${detail}` });
}

function problemOf({ pointer, parameter, detail, fix }: RequestFault): Problem {
  const place = parameter === undefined ? { pointer } : { parameter };
  return new Problem("bad-request", { ...place, detail, ...(fix !== undefined && { fix }) });
}

/** The streams of the log; unknown query parameters are refused here too. */
export type StreamRoute = "GET /openfloor/events" | "GET /openfloor/ws";

/** The query parameters of a request, checked. */
export function queryIn<Name extends HostRoute | StreamRoute>(route: Name, params: URLSearchParams): RouteQuery<Name> {
  const parsed = parseQuery(operations[route], params);
  if (parsed.ok) return parsed.query as RouteQuery<Name>;
  throw problemOf(parsed.fault);
}

export function invalidParameter(name: string, detail: string): Problem {
  return new Problem("bad-request", { parameter: name, detail: `the query parameter ${name}: ${detail}` });
}

/** The fields of a request body, checked. */
export async function bodyIn<Name extends HostRoute>(
  route: Name,
  request: Request,
  bytesMax: number,
): Promise<RouteBody<Name>> {
  const operation: Operation = operations[route];
  const isEmpty = request.body === null || request.headers.get("content-length") === "0";
  const fields = isEmpty && operation.isBodyOptional === true ? {} : await readJsonObject(request, bytesMax);
  const fault = bodyFault(operation, fields);
  if (fault !== undefined) throw problemOf(fault);
  return fields as RouteBody<Name>;
}

/** Normalized by the URL parser, so it contains no control characters. */
export function normalUrl(url: string): string {
  return new URL(url).href;
}

type Given = RouteBody<"POST /api/v1/conversations/:id/seat">["identification"];

const identificationNames: readonly string[] = [
  "speakerUri",
  "serviceUrl",
  "organization",
  "conversationalName",
  "synopsis",
  "department",
  "role",
  "openFloorRoles",
] satisfies (keyof Given)[];

/** The official samples write unknown texts as empty strings: absent. Fields that a manifest does not have are ignored. */
export function identificationOf(given: Given): Partial<Identification> & { speakerUri: string } {
  const known = Object.entries(given).filter(([name, value]) => value !== "" && identificationNames.includes(name));
  return Object.fromEntries(known) as Given;
}

export function numberQuery(
  value: string | undefined,
  name: string,
  bounds: { min: number; max: number; default: number },
) {
  if (value === undefined) return bounds.default;
  const number = /^\d{1,15}$/u.test(value) ? Number(value) : Number.NaN;
  if (number >= bounds.min && number <= bounds.max) return number;
  throw invalidParameter(name, `a whole number from ${bounds.min} to ${bounds.max}`);
}
