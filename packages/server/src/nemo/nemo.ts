import type { AgentChecks } from "../agents/health-checks.ts";
import type { Running } from "../context.ts";
import type { AppPart } from "../routing/guards.ts";
import type { Streams } from "../streams/streams.ts";
import type { SocketDoor } from "../streams/websocket/upgrade.ts";
import { createNemoIdentity } from "./client-identity.ts";
import { mountFeedback } from "./feedback.ts";
import { createPersonIn } from "./http/caller.ts";
import { mountNemoHttp } from "./http/chat.ts";
import { foreignProblem } from "./http/errors.ts";
import { mountModels, mountToolList } from "./models.ts";
import { createNemoParticipants } from "./participants.ts";
import { createNemoUpgrade } from "./upgrade.ts";

/** The NeMo Agent Toolkit's WebSocket and HTTP protocols, and OpenAI's, on this floor. */
export type Nemo = AppPart & Pick<SocketDoor, "upgrade" | "close">;

export function createNemo(running: Running, streams: Streams, checks: AgentChecks): Nemo {
  const { viewers, limits, expiryWatch, tickets, socketCount } = streams;
  const identity = createNemoIdentity(running, tickets);
  const participants = createNemoParticipants({ running, viewers });
  const door = createNemoUpgrade({ running, limits, expiryWatch, identity, participants, othersOpen: socketCount });
  return {
    upgrade: door.upgrade,
    mount(mount) {
      const personIn = createPersonIn(identity);
      mountNemoHttp(mount, { ...running, participants, personIn });
      mountModels(mount, { ...running, personIn, checks });
      mountToolList(mount, { ...running, personIn, checks });
      mountFeedback(mount, running, personIn);
    },
    errorResponse: (error, path) => foreignProblem(error, path, running),
    async close() {
      participants.close();
      await door.close();
    },
  };
}
