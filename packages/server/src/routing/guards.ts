import { type Access, operations, type Route, type RouteAnswer, type RouteBody, type RouteQuery } from "@plenary/api";
import { type Floor, ownerOf, seatNamed } from "@plenary/floor";
import type { Context, Hono } from "hono";
import { addressKey } from "../auth/client-address.ts";
import type { AccessContext, ReceivingContext, StorageContext } from "../context.ts";
import { Problem, type ProblemDocument } from "../errors.ts";
import { assertConversation, assertSpeaker, isOperator, mayHost, type Principal } from "../ports/principal.ts";
import { bodyIn, type HostRoute, isHostRoute, queryIn } from "./fields.ts";

/** A request of the host interface, checked against the contract. */
type HostRequest<Name extends Route> = {
  query: RouteQuery<Name>;
  body(): Promise<RouteBody<Name>>;
  answer(value: RouteAnswer<Name>, status?: 200 | 201 | 202): Response;
};

type Handler<Name extends Route> = (
  c: Context<Env>,
  request: Name extends HostRoute ? HostRequest<Name> : undefined,
) => Response | Promise<Response>;

/** The only way to add a handler: its guard checks the access first. */
export type Mount = <Name extends Route>(route: Name, handler: Handler<Name>) => void;

/** A further protocol of the HTTP app: its routes, and the format of errors on its paths. */
export type AppPart = {
  mount(mount: Mount): void;
  /** Undefined: the error is answered by a problem document. */
  errorResponse(error: unknown, path: string): Response | undefined;
};

export function createMount(app: Hono<Env>, server: StorageContext & ReceivingContext & AccessContext): Mount {
  return (route, handler) => {
    const [method = "", path = ""] = route.split(" ");
    const guard = guards[operations[route].access];
    const handle = handler as (c: Context<Env>, request: unknown) => Response | Promise<Response>;
    const guarded = async (c: Context<Env>) => {
      await guard(c, server);
      return handle(c, isHostRoute(route) ? hostRequest(route, c, server) : undefined);
    };
    for (const one of slashRoutes.includes(route) ? [path, `${path}/`] : [path]) {
      if (method === "ALL") app.all(one, guarded);
      else app.on(method, one, guarded);
    }
  };
}

function hostRequest(route: HostRoute, c: Context<Env>, { bodyBytesMax }: ReceivingContext) {
  return {
    query: queryIn(route, new URL(c.req.url).searchParams),
    body: () => bodyIn(route, c.req.raw, bodyBytesMax),
    answer: (value: object, status: 200 | 201 | 202 = 200) => c.json(value, status),
  };
}

/** Hosted agents. */
export const hostedRoute = "ALL /agents/:name" satisfies Route;

/** Relay addresses of people, and of agents without a server. */
export const relayRoute = "POST /openfloor/at/:speaker" satisfies Route;

/** Addresses of conversants: other floors and agents may append a slash. */
const slashRoutes: readonly Route[] = [hostedRoute, relayRoute];

export function isHostedPath(path: string): boolean {
  return /^\/agents\/[^/]+\/?$/u.test(path);
}

type Guard = (c: Context<Env>, server: StorageContext & ReceivingContext & AccessContext) => unknown;

const guards: Record<Access, Guard> = {
  open: () => {},
  anyone: (c, { access }) => access.admitAnyone(addressIn(c)),
  async writer(c, { access, requestLimits }) {
    const { headers } = c.req.raw;
    // Without content-length the maximum counts.
    const announced = Number(headers.get("content-length") ?? requestLimits.anonymousBytesMax);
    const bytes = Math.min(announced, requestLimits.anonymousBytesMax);
    c.set("isAnonymous", (await access.admitWriter(headers, addressIn(c), bytes)) === "anonymous");
  },
  credential: identify,
  async sender(c, { access }) {
    c.set("principal", await access.admitSender(c.req.raw.headers, addressIn(c)));
  },
  async host(c, server) {
    if (!mayHost(await identify(c, server))) throw forbidden("this credential may not host conversations");
  },
  async operator(c, server) {
    if (!isOperator(await identify(c, server))) throw forbidden("only the operator of this floor may do this");
  },
  conversant: (c, server) => enter(c, server),
  reader: (c, server) => enter(c, server, ({ id }, speaker) => server.lookups.hasSeen(id, speaker)),
  async owner(c, server) {
    const { floor, speaker, principal } = await enter(c, server);
    if (isOperator(principal)) return;
    // The floor checks commands again when they take effect.
    if (speaker === undefined || speaker !== ownerOf(floor)) {
      throw forbidden("only the owner of this conversation may do this");
    }
  },
};

/**
 * The client address; `here` for requests without a socket. Web pages of other origins have a separate rate limit, so that
 * a page cannot block the person who opened it.
 */
export function addressIn(c: Context<Env>): string {
  const address = c.env?.address ?? "here";
  return c.get("isForeignPage") ? `page ${addressKey(address)}` : address;
}

async function identify(c: Context<Env>, { access }: AccessContext): Promise<Principal> {
  const principal = await access.admit(c.req.raw.headers, addressIn(c), c.req.method);
  c.set("principal", principal);
  return principal;
}

function forbidden(detail: string): Problem {
  return new Problem("forbidden", { detail });
}

/**
 * Loads the conversation of the path for a caller that is seated in it or passes `mayLook`. For others the result is
 * `unknown-conversation`: they must not learn that it exists.
 */
async function enter(
  c: Context<Env>,
  server: StorageContext & AccessContext,
  mayLook: (floor: Floor, speaker: string) => Promise<boolean> = async () => false,
) {
  const principal = await identify(c, server);
  const id = c.req.param("id") ?? "";
  assertConversation(principal, id);
  const named = c.req.query("speaker");
  if (named !== undefined) assertSpeaker(principal, named);
  const floor = await server.log.load(id);
  if (floor === undefined) throw new Problem("unknown-conversation");
  const speaker = await speakerIn(floor, principal, named, mayLook);
  if (speaker === undefined && !isOperator(principal)) throw new Problem("unknown-conversation");
  c.set("floor", floor);
  c.set("speaker", speaker);
  return { principal, floor, speaker };
}

/** The caller's speaker in this conversation; for the operator the named one, or undefined. */
async function speakerIn(
  floor: Floor,
  { speakers }: Principal,
  named: string | undefined,
  mayLook: (floor: Floor, speaker: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (speakers === "anyone") return named;
  const names = named === undefined ? speakers : [named];
  const owner = ownerOf(floor);
  const seated = names.filter((name) => seatNamed(floor, name) !== undefined);
  if (seated.length > 0) return seated.find((name) => name === owner) ?? seated[0];
  for (const name of names) if (await mayLook(floor, name)) return name;
  return undefined;
}

/** Values that guards set for handlers. */
export type Env = {
  Bindings: {
    address?: string;
    /** Called by handlers that wait for another party: the request does not count as being served any more. */
    onWait?: () => void;
  };
  Variables: {
    principal: Principal;
    /** The conversation of the path, loaded by the guard. */
    floor: Floor;
    /** The caller's speaker in it; undefined: the operator without a speaker. */
    speaker: string | undefined;
    /** The request comes from a web page of another origin; only hosted agents answer it. */
    isForeignPage: boolean;
    /** The request has no valid credential, on a route that needs none. */
    isAnonymous: boolean;
  };
};

/** The HTTP headers of a problem document (RFC 9457). */
export function problemHeaders(problem: ProblemDocument): Record<string, string> {
  const headers: Record<string, string> = { "content-type": "application/problem+json" };
  if (problem.retryAfter !== undefined) headers["retry-after"] = String(problem.retryAfter);
  if (problem.status === 405) headers.allow = problem.allow?.join(", ") ?? "POST";
  if (problem.status === 401) headers["www-authenticate"] = 'Bearer realm="plenary"';
  return headers;
}
