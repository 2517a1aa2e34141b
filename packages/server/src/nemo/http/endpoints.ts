/** The format of an answer: one of the toolkit's three, or OpenAI's, which has no steps and no traces. */
export type HttpStyle = "chat" | "generate" | "full" | "openai";

export type Endpoint = {
  style: HttpStyle;
  isStream: boolean | "asked";
  /** The client answers a question with a second request. The header Plenary-Interactive overrides it. */
  isInteractive: boolean;
};

const legacy = { isInteractive: false };
const versioned = { isInteractive: true };

/** Paths that take messages: the toolkit's versioned and legacy paths, and OpenAI's. */
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

/** Whether clients of this path expect errors of the toolkit. */
export function isToolkitPath(path: string): boolean {
  const endpoint: Endpoint | undefined = Object.hasOwn(endpoints, path) ? endpoints[path as EndpointPath] : undefined;
  if (endpoint !== undefined) return endpoint.style !== "openai";
  return otherToolkitPaths.has(path) || path.startsWith("/executions/");
}

/** Whether clients of this path expect errors of OpenAI. */
export function isOpenAiPath(path: string): boolean {
  return path.startsWith("/v1/") && !isToolkitPath(path);
}
