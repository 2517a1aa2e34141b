/** How an answer is written: in one of the toolkit's three ways, or as OpenAI, which knows neither steps nor traces. */
export type HttpStyle = "chat" | "generate" | "full" | "openai";

export type Endpoint = {
  style: HttpStyle;
  isStream: boolean | "asked";
  /** A question is an interaction that the client answers by a request of its own, unless the client says otherwise. */
  isInteractive: boolean;
};

const legacy = { isInteractive: false };
const versioned = { isInteractive: true };

/** Where messages are posted: the toolkit's paths, its older names for them, and OpenAI's. */
export const endpoints = {
  "/chat": { style: "chat", isStream: false, ...legacy },
  "/chat/stream": { style: "chat", isStream: true, ...legacy },
  "/generate": { style: "generate", isStream: false, ...legacy },
  "/generate/stream": { style: "generate", isStream: true, ...legacy },
  "/generate/full": { style: "full", isStream: true, ...legacy },
  "/v1/chat": { style: "chat", isStream: false, ...versioned },
  "/v1/chat/stream": { style: "chat", isStream: true, ...versioned },
  "/v1/workflow": { style: "generate", isStream: false, ...versioned },
  "/v1/workflow/stream": { style: "generate", isStream: true, ...versioned },
  "/v1/workflow/full": { style: "full", isStream: true, ...versioned },
  "/v1/chat/completions": { style: "openai", isStream: "asked", ...legacy },
} as const satisfies Record<string, Endpoint>;

export type EndpointPath = keyof typeof endpoints;

export const endpointPaths = Object.keys(endpoints) as EndpointPath[];

const otherToolkitPaths: ReadonlySet<string> = new Set(["/feedback", "/mcp/client/tool/list"]);

/** Whether whoever calls this path reads errors of the toolkit. */
export function isToolkitPath(path: string): boolean {
  const endpoint: Endpoint | undefined = Object.hasOwn(endpoints, path) ? endpoints[path as EndpointPath] : undefined;
  if (endpoint !== undefined) return endpoint.style !== "openai";
  return otherToolkitPaths.has(path) || path.startsWith("/executions/");
}

/** Whether whoever calls this path reads errors of OpenAI. */
export function isOpenAiPath(path: string): boolean {
  return path.startsWith("/v1/") && !isToolkitPath(path);
}
