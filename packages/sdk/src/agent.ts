// The core of the SDK: no Node modules, so that an agent runs wherever there are Request and Response.
import { type ParsedEnvelope, parseEnvelope } from "@plenary/protocol";
import type { Self } from "./agent/context.ts";
import { Deliveries } from "./agent/delivery-cache.ts";
import { createDraftStream } from "./agent/draft-stream.ts";
import type { AgentManifest, AgentOptions } from "./agent/handlers.ts";
import { completed, type Document, type Mind, type Received, receive } from "./agent/receive.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { TextDialler } from "./dialler/dial.ts";
import { everyOrigin, withCors } from "./http/cors.ts";
import { badEnvelope, problemResponse } from "./http/problem-response.ts";
import { readText } from "./http/request-body.ts";
import { claimIn, keysOf, matches, type Verification } from "./http/signature.ts";

export type Agent = {
  readonly manifest: AgentManifest;
  /** One envelope in, one out. `at` is the address of an agent whose manifest has none; else the request's URL is. */
  fetch(request: Request, at?: Reached): Promise<Response>;
};

type Reached = {
  serviceUrl?: string;
  /** Instead of the agent's own. */
  allowOrigins?: readonly string[];
  /** Reads words that are given by URL before they are answered; default: that is left to the handlers. */
  textDialler?: TextDialler;
  /** The network address of the caller, where the server of the agent knows it. */
  caller?: string;
  /** It came over a connection that this agent has opened itself, so nobody has to sign it. */
  isTrusted?: boolean;
};

type Living<State> = {
  mind: Mind<State>;
  deliveries: Deliveries<Document>;
  /** Undefined when it takes unsigned requests. */
  keys: ReturnType<typeof keysOf> | undefined;
  textDialler?: TextDialler | undefined;
  caller?: string | undefined;
};

const conversationsMax = 1_000;
const deliveriesMax = 1_000;
/** W3C Baggage: as much as everybody passes on. */
const baggageCharsMax = 8_192;

export function createAgent<State = Record<string, unknown>>(options: AgentOptions<State>): Agent {
  const living: Living<State> = {
    mind: {
      settings: completed(options),
      handlers: options,
      // Whoever names another type of state says how one begins.
      newState: options.newState ?? (() => ({}) as State),
      conversations: new BoundedMap(options.conversationsMax ?? conversationsMax, ({ state }) =>
        options.onForget?.(state),
      ),
    },
    deliveries: new Deliveries(options.deliveriesMax ?? deliveriesMax),
    keys: options.secrets === undefined ? undefined : keysOf(options.secrets),
  };
  const trusting = { ...living, keys: undefined };
  return {
    manifest: options.manifest,
    fetch: (request, at = {}) => {
      const self = selfOf(options.manifest, request.url, at.serviceUrl);
      // Runtimes pass something of their own here: nothing but this very value counts.
      const chosen = at.isTrusted === true ? trusting : living;
      const allowOrigins = at.allowOrigins ?? options.allowOrigins ?? everyOrigin;
      const { textDialler, caller } = at;
      return withCors(request, allowOrigins, () => respond(request, self, { ...chosen, textDialler, caller }));
    },
  };
}

/** The address that the caller used is one of the agent's own; a proxy before it may have taken TLS off. */
function selfOf({ identification }: AgentManifest, requestUrl: string, at: string | undefined): Self {
  const { origin, pathname } = new URL(requestUrl);
  const reached = origin + pathname;
  const serviceUrl = identification.serviceUrl ?? at ?? reached;
  const addresses = [serviceUrl, reached, reached.replace(/^http:/u, "https:")];
  return { speakerUri: identification.speakerUri, serviceUrl, addresses };
}

async function respond<State>(request: Request, self: Self, living: Living<State>): Promise<Response> {
  const refusal = refusalOf(request);
  if (refusal !== undefined) return refusal;
  const { keys } = living;
  // Before its body is waited for.
  const claim = keys && claimIn(request.headers);
  if (claim?.ok === false) return notSigned(claim);
  const text = await readText(request, living.mind.settings.bodyBytesMax);
  if (typeof text !== "string") return problemResponse(text);
  const verified = claim && (await matches(claim, text, keys));
  if (verified?.ok === false) return notSigned(verified);
  const parsed = parse(text, self);
  if (!parsed.ok) return badEnvelope(parsed.issues);
  return answered(parsed, { request, self, living, key: await keyOf(request, text) });
}

function refusalOf(request: Request): Response | undefined {
  if (request.method !== "POST") {
    const detail = "an agent takes envelopes by POST; ask for its manifest by a getManifests event";
    return problemResponse({ status: 405, title: "Method not allowed", detail, headers: { allow: "POST" } });
  }
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding === "identity") return undefined;
  return problemResponse({ status: 415, title: "Encoded body", detail: `send the envelope plain, not in ${encoding}` });
}

function notSigned({ problem, detail }: Verification & { ok: false }): Response {
  // RFC 9110, 15.5.2: a 401 says by which scheme to come again.
  const headers = { "www-authenticate": "StandardWebhooks" };
  return problemResponse({ status: 401, title: "Not signed", detail, headers }, { problem });
}

function parse(text: string, self: Self): ParsedEnvelope {
  const { speakerUri, serviceUrl } = self;
  return parseEnvelope(text, {
    now: new Date().toISOString(),
    newId: () => `de:${crypto.randomUUID()}`,
    receiver: { speakerUri, serviceUrl },
  });
}

/** The bytes of a delivery are the same each time (D22); other bytes under a known id are another delivery. */
async function keyOf(request: Request, text: string): Promise<string | undefined> {
  const id = request.headers.get("webhook-id");
  if (id === null) return undefined;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `${id} ${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** A header that is none is not passed on to anybody. */
function traceparentIn({ headers }: Request): string | undefined {
  const traceparent = headers.get("traceparent");
  return traceparent !== null && traceparentPattern.test(traceparent) ? traceparent : undefined;
}

const traceparentPattern = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/u;

type Asked<State> = { request: Request; self: Self; living: Living<State>; key: string | undefined };

async function answered<State>(received: Received, { request, self, living, key }: Asked<State>): Promise<Response> {
  const cut = new AbortController();
  const onAbort = () => cut.abort();
  request.signal.addEventListener("abort", onAbort, { once: true });
  if (request.signal.aborted) onAbort();
  const takesStream = request.headers.get("accept")?.includes("text/event-stream") === true;
  const drafts = takesStream ? createDraftStream(onAbort) : undefined;
  const delegated = request.headers.get("plenary-delegated");
  const baggage = request.headers.get("baggage");
  const traceparent = traceparentIn(request);
  const document = living.deliveries.once(key, cut.signal, (signal) =>
    receive(received, living.mind, {
      self,
      signal,
      drafts,
      ...(delegated !== null && { isDelegated: delegated === "1" }),
      ...(baggage !== null && baggage.length <= baggageCharsMax && { baggage }),
      ...(traceparent !== undefined && { traceparent }),
      ...(living.textDialler !== undefined && { textDialler: living.textDialler }),
      ...(typeof living.caller === "string" && { caller: living.caller }),
    }),
  );
  const first = await Promise.race(drafts === undefined ? [document] : [document, drafts.started]);
  if (first !== "started" || drafts === undefined) return Response.json(await document);
  document.then(drafts.finish, drafts.fail);
  return new Response(drafts.body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  });
}
