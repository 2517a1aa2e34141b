import { createExpiryWatch, type ExpiryWatch } from "../auth/expiry-watch.ts";
import type { AccessContext, ConversationContext } from "../context.ts";
import { defaultStreamLimits, type StreamLimits } from "../limits.ts";
import { createMailbox } from "./mailbox.ts";
import type { PresenceListener } from "./presence.ts";
import { createViewers, type Viewers } from "./viewers.ts";
import { createTickets, type Tickets } from "./websocket/tickets.ts";
import { createSocketUpgrade, type SocketUpgrade } from "./websocket/upgrade.ts";

export type StreamOptions = { limits?: Partial<StreamLimits>; onPresence?: PresenceListener };

/** Long-lived connections: event streams, and the sockets of viewers and agents. */
export type Streams = {
  limits: StreamLimits;
  viewers: Viewers;
  tickets: Tickets;
  expiryWatch: ExpiryWatch;
  /** Whether a viewer of this speaker is connected, or was within `awayMs` (D36). */
  isHere(speakerUri: string): boolean;
  upgrade: SocketUpgrade["upgrade"];
  /** Open sockets. */
  socketCount(): number;
  close(): Promise<void>;
};

export function createStreams(server: ConversationContext & AccessContext, options: StreamOptions = {}): Streams {
  const limits = { ...defaultStreamLimits, ...options.limits };
  const { clock, presence, sockets } = server;
  const viewers = createViewers({ server, limits, presence, mailbox: createMailbox(limits, clock) });
  server.metrics.gauge({ name: "viewers", help: "Open viewer streams.", read: viewers.count });
  const tickets = createTickets(limits, clock);
  const expiryWatch = createExpiryWatch(server.identity, clock, server.onError);
  const upgrade = createSocketUpgrade({ server, sockets, viewers, tickets, limits, expiryWatch });
  return {
    limits,
    viewers,
    tickets,
    expiryWatch,
    isHere: presence.isHere,
    upgrade: upgrade.upgrade,
    socketCount: upgrade.count,
    async close() {
      expiryWatch.close();
      viewers.close();
      await upgrade.close();
      presence.close();
    },
  };
}
