import { hash } from "node:crypto";
import { type Envelope, isSameAddress } from "@plenary/protocol";
import type { AgentHost } from "@plenary/sdk";
import type { DialFailure, Dialler, DialRequest } from "../ports/dialler.ts";
import type { FloorStore } from "../ports/store.ts";

type HostedAgent = { fetch: LocalAgent; manifest: { identification: { speakerUri: string } } };

/** Built-in agents of this process, each at `/agents/NAME` for this floor and any other (D37). */
export type HostedAgents = {
  names: readonly string[];
  /** Those that are invited to a new conversation if its host names no agents, in this order. */
  invitedByDefault?: readonly string[];
  /**
   * `host` is given only for envelopes of this floor: external callers are not authenticated and can name any conversation.
   * `caller`: the kind of external caller.
   */
  create: (name: string, serviceUrl: string, host?: AgentHost, caller?: HostedCaller) => HostedAgent | undefined;
  /** Called before the first agent is created, with the functions that all agents share. */
  shareHostApi?: (shared: SharedHostApi) => void;
};

export type SharedHostApi = Pick<AgentHost, "floorUri" | "knownAgents" | "catalogue"> & {
  /** A unique part of the names of hosted agents; undefined where an existing store keeps the old names. */
  mark: string | undefined;
};

/** External programs, or web pages of other origins, which may be open on the operator's own machine. */
export type HostedCaller = "program" | "page";

export type Hosted = {
  names: readonly string[];
  /** For external callers. It shares no state with the agent of the same name in the conversations of this floor. */
  named: (name: string, caller: HostedCaller) => LocalAgent | undefined;
  serviceUrls: readonly string[];
  /** The addresses of those that are invited by default. */
  invitedByDefault: readonly string[];
  /** Calls them without a network connection. */
  dialler: Dialler;
};

const path = "/agents/";

/** The functions of the floor for hosted agents. `send` takes the speaker, which is known once the agent is created. */
export type HostApi = Omit<AgentHost, "send"> & { send: (envelope: Envelope, speakerUri: string) => Promise<void> };

type HostedContext = { floorUrl: string; hostApi: HostApi; dialler: Dialler } & Pick<SharedHostApi, "mark">;

/** Creates each agent at its first use. */
export function createHosted(
  agents: HostedAgents | undefined,
  { floorUrl, hostApi, mark, dialler: next }: HostedContext,
): Hosted {
  const { floorUri, knownAgents, catalogue } = hostApi;
  const names = agents?.names ?? [];
  const urlOf = (name: string) => `${floorUrl}${path}${name}`;
  agents?.shareHostApi?.({ floorUri, knownAgents, catalogue, mark });
  const maker = (makeOne: (name: string, serviceUrl: string) => HostedAgent | undefined) => {
    const made = new Map<string, LocalAgent>();
    return (name: string): LocalAgent | undefined => {
      if (!names.includes(name)) return undefined;
      const known = made.get(name);
      if (known !== undefined) return known;
      const agent = makeOne(name, urlOf(name));
      const fetch = agent && ((...called: Parameters<LocalAgent>) => agent.fetch(...called));
      if (fetch !== undefined) made.set(name, fetch);
      return fetch;
    };
  };
  const outside = {
    program: maker((name, serviceUrl) => agents?.create(name, serviceUrl, undefined, "program")),
    page: maker((name, serviceUrl) => agents?.create(name, serviceUrl, undefined, "page")),
  };
  const ownNamed = maker((name, serviceUrl) => {
    const agent: HostedAgent | undefined = agents?.create(name, serviceUrl, {
      ...hostApi,
      send: async (envelope) => hostApi.send(envelope, agent?.manifest.identification.speakerUri ?? ""),
    });
    return agent;
  });
  const at = (url: string) => {
    const [place = ""] = url.split(/[?#]/u);
    const name = names.find((one) => isSameAddress(place, urlOf(one)));
    return name === undefined ? undefined : ownNamed(name);
  };
  return {
    names,
    named: (name, caller) => outside[caller](name),
    serviceUrls: names.map(urlOf),
    invitedByDefault: (agents?.invitedByDefault ?? []).filter((name) => names.includes(name)).map(urlOf),
    dialler: createLocalDialler(at, next),
  };
}

const markDigits = 12;

/**
 * The unique part of the names of hosted agents, derived from the URI of the floor (D39). Undefined for a store that had
 * conversations before: its seated agents keep their old names.
 */
export async function keepHostedMark(
  { log, settings }: Pick<FloorStore, "log" | "settings">,
  floorUri: string,
): Promise<string | undefined> {
  const kind = await settings.keep("hostedAgentNames", (await log.count()) === 0 ? "unique" : "plain");
  return kind === "unique" ? hash("sha256", floorUri, "hex").slice(0, markDigits) : undefined;
}

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
    return { status: response.status, headers: response.headers, body: chunksOf(response, aborted) };
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
