import { type Floor, ownerOf, seatNamed } from "@plenary/floor";
import type { Context, Hono } from "hono";
import { addressKey } from "../auth/client-address.ts";
import type { ServerContext } from "../context.ts";
import { Problem } from "../errors.ts";
import { assertConversation, assertSpeaker, isOperator, mayHost, type Principal } from "../ports/principal.ts";
import type { Env } from "./hono-env.ts";
import { type Access, type Route, routes } from "./routes.ts";

type Handler = (c: Context<Env>) => Response | Promise<Response>;

/** The only way to answer a route: a caller that may not use it does not reach its handler. */
export type Mount = (route: Route, handler: Handler) => void;

/** A further protocol of the HTTP app: its routes, and the format of errors on its paths. */
export type AppPart = {
  mount(mount: Mount): void;
  /** Undefined: the error is answered by a problem document. */
  errorResponse(error: unknown, path: string): Response | undefined;
};

export function createMount(app: Hono<Env>, server: ServerContext): Mount {
  return (route, handler) => {
    const [method = "", path = ""] = route.split(" ");
    const letIn = guards[routes[route]];
    const guarded: Handler = async (c) => {
      await letIn(c, server);
      return handler(c);
    };
    for (const one of slashRoutes.includes(route) ? [path, `${path}/`] : [path]) {
      if (method === "ALL") app.all(one, guarded);
      else app.on(method, one, guarded);
    }
  };
}

/** Agents that live here. */
export const hostedRoute = "ALL /agents/:name" satisfies Route;

/** People, and agents without a server of their own. */
export const relayRoute = "POST /openfloor/at/:speaker" satisfies Route;

/** Addresses of conversants, behind which floors and agents elsewhere write a slash. */
const slashRoutes: readonly Route[] = [hostedRoute, relayRoute];

export function isHostedPath(path: string): boolean {
  return /^\/agents\/[^/]+\/?$/u.test(path);
}

type Guard = (c: Context<Env>, server: ServerContext) => void | Promise<void>;

const guards: Record<Access, Guard> = {
  open: () => {},
  anyone: (c, { access }) => access.admitAnyone(addressIn(c)),
  async writer(c, { access, requestLimits }) {
    const { headers } = c.req.raw;
    // What does not say how long it is may be as long as is allowed.
    const announced = Number(headers.get("content-length") ?? requestLimits.anonymousBytesMax);
    const bytes = Math.min(announced, requestLimits.anonymousBytesMax);
    c.set("isStranger", (await access.admitWriter(headers, addressIn(c), bytes)) === "stranger");
  },
  async credential(c, server) {
    await identify(c, server);
  },
  async sender(c, { access }) {
    c.set("principal", await access.admitSender(c.req.raw.headers, addressIn(c)));
  },
  async host(c, server) {
    if (!mayHost(await identify(c, server))) throw notYours("this credential may not host conversations");
  },
  async operator(c, server) {
    if (!isOperator(await identify(c, server))) throw notYours("only the operator of this floor may see this");
  },
  async conversant(c, server) {
    await enter(c, server, async () => false);
  },
  async reader(c, server) {
    await enter(c, server, ({ id }, speaker) => server.store.hasSeen(id, speaker));
  },
  async owner(c, server) {
    const { floor, speaker, principal } = await enter(c, server, async () => false);
    if (isOperator(principal)) return;
    // Commands are judged again, by the floor as it is when they take effect.
    if (speaker === undefined || speaker !== ownerOf(floor)) {
      throw notYours("only the owner of this conversation may do this");
    }
  },
};

/**
 * Where the request came from; a request without a socket is our own. Web pages of other origins have a rate of their own:
 * what a page does must not lock out the person who opened it.
 */
export function addressIn(c: Context<Env>): string {
  const address = c.env?.address ?? "here";
  return c.get("isForeignPage") ? `page ${addressKey(address)}` : address;
}

async function identify(c: Context<Env>, { access }: ServerContext): Promise<Principal> {
  const principal = await access.admit(c.req.raw.headers, addressIn(c), c.req.method);
  c.set("principal", principal);
  return principal;
}

function notYours(detail: string): Problem {
  return new Problem("forbidden", { detail });
}

type GuardResult = { principal: Principal; floor: Floor; speaker: string | undefined };

/**
 * The conversation that the path names, for who is in it, or may look into it all the same. To everybody else it is not
 * there: that a conversation exists is nobody else's business.
 */
async function enter(
  c: Context<Env>,
  server: ServerContext,
  mayLook: (floor: Floor, speaker: string) => Promise<boolean>,
): Promise<GuardResult> {
  const principal = await identify(c, server);
  const id = c.req.param("id") ?? "";
  assertConversation(principal, id);
  const asked = c.req.query("speaker");
  if (asked !== undefined) assertSpeaker(principal, asked);
  const floor = await server.store.load(id);
  if (floor === undefined) throw new Problem("unknown-conversation");
  const speaker = await standing(floor, principal, asked, mayLook);
  if (speaker === undefined && !isOperator(principal)) throw new Problem("unknown-conversation");
  c.set("floor", floor);
  c.set("speaker", speaker);
  return { principal, floor, speaker };
}

/** Under which of its names the caller stands here. The operator need not, and reads as nobody unless it names somebody. */
async function standing(
  floor: Floor,
  { speakers }: Principal,
  asked: string | undefined,
  mayLook: (floor: Floor, speaker: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (speakers === "anyone") return asked;
  const names = asked === undefined ? speakers : [asked];
  const owner = ownerOf(floor);
  const seated = names.filter((name) => seatNamed(floor, name) !== undefined);
  if (seated.length > 0) return seated.find((name) => name === owner) ?? seated[0];
  for (const name of names) if (await mayLook(floor, name)) return name;
  return undefined;
}
