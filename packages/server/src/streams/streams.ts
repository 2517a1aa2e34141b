import { createExpiryWatch, type ExpiryWatch } from "../auth/expiry-watch.ts";
import type { Running } from "../context.ts";
import { defaultStreamLimits, type StreamLimits } from "./limits.ts";
import { createMailbox } from "./mailbox.ts";
import { createPresence, type PresenceListener } from "./presence.ts";
import { createViewers, type Viewers } from "./viewers.ts";
import { createTickets, type Tickets } from "./websocket/tickets.ts";
import { createSocketDoor, type SocketDoor } from "./websocket/upgrade.ts";

export type StreamOptions = { limits?: Partial<StreamLimits>; onPresence?: PresenceListener };

/** Connections that stay open: event streams, sockets of viewers and of agents. */
export type Streams = {
  limits: StreamLimits;
  viewers: Viewers;
  tickets: Tickets;
  expiryWatch: ExpiryWatch;
  /** Whether a viewer of this speaker is connected, or was a moment ago (D36). */
  isHere(speakerUri: string): boolean;
  upgrade: SocketDoor["upgrade"];
  /** Open sockets. */
  socketCount(): number;
  close(): Promise<void>;
};

export function createStreams(running: Running, options: StreamOptions = {}): Streams {
  const limits = { ...defaultStreamLimits, ...options.limits };
  const { clock, sockets } = running;
  const presence = createPresence(clock, limits.awayMs, options.onPresence ?? (() => {}));
  sockets.setViewers(presence.isHere);
  const viewers = createViewers({ running, limits, presence, mailbox: createMailbox(limits, clock) });
  running.metrics.gauge({ name: "viewers", help: "Streams of viewers that are open.", read: viewers.count });
  const tickets = createTickets(limits, clock);
  const expiryWatch = createExpiryWatch(running.identity, clock, running.onError);
  const door = createSocketDoor({ running, sockets, viewers, tickets, limits, expiryWatch });
  return {
    limits,
    viewers,
    tickets,
    expiryWatch,
    isHere: presence.isHere,
    upgrade: door.upgrade,
    socketCount: door.count,
    async close() {
      expiryWatch.close();
      viewers.close();
      await door.close();
      presence.close();
    },
  };
}
