// The core of the SDK. It imports no Node modules, so an agent runs on every runtime with Request and Response.
import { type ParsedEnvelope, parseEnvelope } from "@plenary/protocol";
import type { Self } from "./agent/context.ts";
import { DeliveryCache } from "./agent/delivery-cache.ts";
import { createDraftStream } from "./agent/draft-stream.ts";
import type { AgentManifest, AgentOptions } from "./agent/handlers.ts";
import { type AgentDefinition, type Document, type Received, receive, withDefaults } from "./agent/receive.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { TextDialler } from "./dialler/dial.ts";
import { everyOrigin, withCors } from "./http/cors.ts";
import { badEnvelope, problemResponse } from "./http/problem-response.ts";
import { readText } from "./http/request-body.ts";
import { decodeSecrets, matchSignatures, readSignatureHeaders, type Verification } from "./http/signature.ts";

export type Agent = {
  readonly manifest: AgentManifest;
  /** Answers one envelope with one envelope. Without a serviceUrl in the manifest or in `at`, the URL of the request is used. */
  fetch(request: Request, at?: FetchOptions): Promise<Response>;
};

type FetchOptions = {
  serviceUrl?: string;
  /** Overrides the origins of the agent. */
  allowOrigins?: readonly string[];
  /** Fetches text that is given by URL before `onUtterance` runs. Default: the handler has to fetch it. */
  textDialler?: TextDialler;
  /** The network address of the caller, if the server knows it. */
  caller?: string;
  /** The request came over a connection that this agent opened, so it needs no signature. */
  isTrusted?: boolean;
};

type AgentRuntime<State> = {
  definition: AgentDefinition<State>;
  deliveries: DeliveryCache<Document>;
  /** Undefined: unsigned requests are accepted. */
  keys: ReturnType<typeof decodeSecrets> | undefined;
  textDialler?: TextDialler | undefined;
  caller?: string | undefined;
};

const conversationsMax = 1_000;
const deliveriesMax = 1_000;
/** W3C Baggage: every platform must propagate this much. */
const baggageCharsMax = 8_192;

export function createAgent<State = Record<string, unknown>>(options: AgentOptions<State>): Agent {
  const runtime: AgentRuntime<State> = {
    definition: {
      settings: withDefaults(options),
      handlers: options,
      // A custom `State` type needs `newState`; without it the state is an empty object.
      newState: options.newState ?? (() => ({}) as State),
      conversations: new BoundedMap(options.conversationsMax ?? conversationsMax, ({ state }) =>
        options.onForget?.(state),
      ),
    },
    deliveries: new DeliveryCache(options.deliveriesMax ?? deliveriesMax),
    keys: options.secrets === undefined ? undefined : decodeSecrets(options.secrets),
  };
  const trusting = { ...runtime, keys: undefined };
  return {
    manifest: options.manifest,
    fetch: (request, at = {}) => {
      const self = selfOf(options.manifest, request.url, at.serviceUrl);
      // Some runtimes pass a second argument of their own, so only `true` itself counts.
      const chosen = at.isTrusted === true ? trusting : runtime;
      const allowOrigins = at.allowOrigins ?? options.allowOrigins ?? everyOrigin;
      const { textDialler, caller } = at;
      return withCors(request, allowOrigins, () => respond(request, self, { ...chosen, textDialler, caller }));
    },
  };
}

/** The address that the caller used belongs to the agent. A proxy may have terminated TLS, so https counts too. */
function selfOf({ identification }: AgentManifest, requestUrl: string, at: string | undefined): Self {
  const { origin, pathname } = new URL(requestUrl);
  const reached = origin + pathname;
  const serviceUrl = identification.serviceUrl ?? at ?? reached;
  const addresses = [serviceUrl, reached, reached.replace(/^http:/u, "https:")];
  return { speakerUri: identification.speakerUri, serviceUrl, addresses };
}

async function respond<State>(request: Request, self: Self, runtime: AgentRuntime<State>): Promise<Response> {
  const refusal = refusalOf(request);
  if (refusal !== undefined) return refusal;
  const { keys } = runtime;
  // The headers are checked before the body is read.
  const claim = keys && readSignatureHeaders(request.headers);
  if (claim?.ok === false) return unsignedResponse(claim);
  const text = await readText(request, runtime.definition.settings.bodyBytesMax);
  if (typeof text !== "string") return problemResponse(text);
  const verified = claim && (await matchSignatures(claim, text, keys));
  if (verified?.ok === false) return unsignedResponse(verified);
  const parsed = parse(text, self);
  if (!parsed.ok) return badEnvelope(parsed.issues);
  return answerRequest(parsed, { request, self, runtime, key: await keyOf(request, text) });
}

function refusalOf(request: Request): Response | undefined {
  if (request.method !== "POST") {
    const detail = "send an envelope by POST; a getManifests event returns the manifest";
    return problemResponse({ status: 405, title: "Method not allowed", detail, headers: { allow: "POST" } });
  }
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding === "identity") return undefined;
  return problemResponse({
    status: 415,
    title: "Unsupported content encoding",
    detail: `send the envelope without ${encoding} encoding`,
  });
}

function unsignedResponse({ problem, detail }: Verification & { ok: false }): Response {
  // RFC 9110, 15.5.2: a 401 response names the authentication scheme.
  const headers = { "www-authenticate": "StandardWebhooks" };
  return problemResponse({ status: 401, title: "Missing or invalid signature", detail, headers }, { problem });
}

function parse(text: string, self: Self): ParsedEnvelope {
  const { speakerUri, serviceUrl } = self;
  return parseEnvelope(text, {
    now: new Date().toISOString(),
    newId: () => `de:${crypto.randomUUID()}`,
    receiver: { speakerUri, serviceUrl },
  });
}

/** A repeated delivery has the same bytes (D22). Other bytes under the same id are another delivery. */
async function keyOf(request: Request, text: string): Promise<string | undefined> {
  const id = request.headers.get("webhook-id");
  if (id === null) return undefined;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `${id} ${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** An invalid header is dropped. */
function traceparentIn({ headers }: Request): string | undefined {
  const traceparent = headers.get("traceparent");
  return traceparent !== null && traceparentPattern.test(traceparent) ? traceparent : undefined;
}

const traceparentPattern = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/u;

type AcceptedRequest<State> = { request: Request; self: Self; runtime: AgentRuntime<State>; key: string | undefined };

async function answerRequest<State>(
  received: Received,
  { request, self, runtime, key }: AcceptedRequest<State>,
): Promise<Response> {
  const cut = new AbortController();
  const onAbort = () => cut.abort();
  request.signal.addEventListener("abort", onAbort, { once: true });
  if (request.signal.aborted) onAbort();
  const takesStream = request.headers.get("accept")?.includes("text/event-stream") === true;
  const drafts = takesStream ? createDraftStream(onAbort) : undefined;
  const delegated = request.headers.get("plenary-delegated");
  const baggage = request.headers.get("baggage");
  const traceparent = traceparentIn(request);
  const document = runtime.deliveries.once(key, cut.signal, (signal) =>
    receive(received, runtime.definition, {
      self,
      signal,
      drafts,
      ...(delegated !== null && { isDelegated: delegated === "1" }),
      ...(baggage !== null && baggage.length <= baggageCharsMax && { baggage }),
      ...(traceparent !== undefined && { traceparent }),
      ...(runtime.textDialler !== undefined && { textDialler: runtime.textDialler }),
      ...(typeof runtime.caller === "string" && { caller: runtime.caller }),
    }),
  );
  const first = await Promise.race(drafts === undefined ? [document] : [document, drafts.started]);
  if (first !== "started" || drafts === undefined) return Response.json(await document);
  document.then(drafts.finish, drafts.fail);
  return new Response(drafts.body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  });
}
