import type { AgentChecks } from "../agents/health-checks.ts";
import type { ServerContext } from "../context.ts";
import type { AppPart } from "../routing/guards.ts";
import type { Streams } from "../streams/streams.ts";
import type { SocketUpgrade } from "../streams/websocket/upgrade.ts";
import { createCallerOf, createNemoIdentity } from "./client-identity.ts";
import { mountFeedback } from "./feedback.ts";
import { mountNemoHttp } from "./http/chat.ts";
import { foreignProblem } from "./http/endpoints.ts";
import { mountModels } from "./models.ts";
import { createNemoParticipants } from "./participants.ts";
import { createNemoUpgrade } from "./upgrade.ts";

/** The NeMo Agent Toolkit's WebSocket and HTTP protocols, and OpenAI's, on this floor. */
type Nemo = AppPart & Pick<SocketUpgrade, "upgrade" | "close">;

export function createNemo(server: ServerContext, streams: Streams, checks: AgentChecks): Nemo {
  const { viewers, limits, expiryWatch, tickets, socketCount } = streams;
  const identity = createNemoIdentity(server, tickets);
  const participants = createNemoParticipants(server, viewers);
  const upgrade = createNemoUpgrade({ server, limits, expiryWatch, identity, participants, othersOpen: socketCount });
  return {
    upgrade: upgrade.upgrade,
    mount(mount) {
      const personIn = createCallerOf(identity);
      mountNemoHttp(mount, { ...server, participants, personIn });
      mountModels(mount, { ...server, personIn, checks });
      mountFeedback(mount, server, personIn);
    },
    errorResponse: (error, path) => foreignProblem(error, path, server),
    async close() {
      participants.close();
      await upgrade.close();
    },
  };
}
