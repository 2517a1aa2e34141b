import { createServer, type Server } from "node:http";
import type { AccessContext, FloorContext, LifecycleContext, ProcessContext } from "../../context.ts";
import { Problem } from "../../errors.ts";
import type { Mount } from "../../routing/guards.ts";

/** Health, version and metrics. */
export function mountHealth(
  mount: Mount,
  server: ProcessContext & FloorContext & AccessContext & LifecycleContext,
): void {
  mount("GET /livez", (c) => c.text("ok"));
  mount("GET /readyz", async (c) => {
    if (await server.isReady()) return c.text("ok");
    throw new Problem("unavailable", { detail: "the store is not ready, or the floor is closing" });
  });
  mount("GET /version", (c) => {
    const { version, oidc } = server;
    return c.json({ name: "plenary", version, openFloor: "1.1.0", signIn: oidc !== undefined });
  });
  mount("GET /metrics", async (c) => {
    const { type, text } = await server.metrics.text();
    return c.body(text, 200, { "content-type": type });
  });
}

/**
 * Health checks on a separate port: they do not queue behind other connections. It serves nothing else, so it checks
 * neither Host nor credentials.
 */
export function createHealth({
  isReady,
  onError,
}: Pick<ProcessContext & LifecycleContext, "isReady" | "onError">): Server {
  const statusOf = async (url: string | undefined) => {
    if (url === "/livez") return 200;
    if (url === "/readyz") return (await isReady()) ? 200 : 503;
    return 404;
  };
  return createServer(
    { requestTimeout: 10_000, headersTimeout: 10_000, keepAliveTimeout: 5_000 },
    (request, response) => {
      const words = {
        200: "ok",
        404: "health checks are at /livez and /readyz",
        503: "the store is not ready, or the floor is closing",
      };
      statusOf(request.url).then((status) => {
        const retry = status === 503 ? { "retry-after": "5" } : {};
        response.writeHead(status, { "content-type": "text/plain; charset=UTF-8", ...retry });
        response.end(words[status]);
      }, onError);
    },
  );
}
