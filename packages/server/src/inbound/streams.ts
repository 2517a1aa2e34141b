import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { Problem } from "../errors.ts";
import { createVigil, type Vigil } from "../identity/vigil.ts";
import type { Running } from "../running.ts";
import { readJsonObject } from "./body.ts";
import { textField } from "./fields.ts";
import { addressIn, type Mount, relayRoute } from "./mount.ts";
import { createNemoDoor } from "./nemo/door.ts";
import { createNemoIdentity, type NemoIdentity } from "./nemo/identity.ts";
import type { NemoSeats } from "./nemo/seat.ts";
import { createNemoSeats } from "./nemo/seats.ts";
import { createRelay, type Relay } from "./relay.ts";
import { openEventStream } from "./sse.ts";
import { defaultStreamLimits, type StreamLimits } from "./stream-limits.ts";
import { createMailbox } from "./stream-mailbox.ts";
import { createPresence, type PresenceListener } from "./stream-presence.ts";
import { createViewers, type Viewers } from "./stream-viewers.ts";
import { createSocketDoor, refuse } from "./websocket.ts";
import { createTickets, type Tickets } from "./websocket-tickets.ts";

export type StreamOptions = { limits?: Partial<StreamLimits>; onPresence?: PresenceListener };

/** Everything of this floor that stays open: event streams, sockets, relays. */
export type Streams = {
  limits: StreamLimits;
  viewers: Viewers;
  tickets: Tickets;
  vigil: Vigil;
  relay: Relay;
  /** NeMo clients: who they are, and where they sit. */
  nemo: { identity: NemoIdentity; seats: NemoSeats };
  /** Whether somebody looks on, or did a moment ago (D36). */
  isHere(speakerUri: string): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): Promise<void>;
};

export function createStreams(running: Running, options: StreamOptions = {}): Streams {
  const limits = { ...defaultStreamLimits, ...options.limits };
  const { clock, sockets } = running;
  const presence = createPresence(clock, limits.awayMs, options.onPresence ?? (() => {}));
  sockets.setOnlookers(presence.isHere);
  const viewers = createViewers({ running, limits, presence, mailbox: createMailbox(limits, clock) });
  running.metrics.gauge({ name: "viewers", help: "Streams of viewers that are open.", read: viewers.count });
  const tickets = createTickets(limits, clock);
  const vigil = createVigil(running.identity, clock, running.onError);
  const door = createSocketDoor({ running, sockets, viewers, tickets, limits, vigil });
  const nemo = { identity: createNemoIdentity(running, tickets), seats: createNemoSeats({ running, viewers }) };
  const nemoDoor = createNemoDoor({ ...{ running, limits, vigil, ...nemo }, othersOpen: door.count });
  return {
    limits,
    viewers,
    tickets,
    vigil,
    nemo,
    relay: createRelay({ running, sockets, viewers, limits }),
    isHere: presence.isHere,
    upgrade(request, socket, head) {
      const isOurs = door.upgrade(request, socket, head) || nemoDoor.upgrade(request, socket, head);
      if (!isOurs) refuse(socket, new Problem("not-found"), running);
    },
    async close() {
      vigil.close();
      viewers.close();
      nemo.seats.close();
      await Promise.all([door.close(), nemoDoor.close()]);
      presence.close();
    },
  };
}

/** Other floors have no credential here: like any agent's address, a relay address is open to whoever knows it. */
export function mountRelay(mount: Mount, { relay }: Streams): void {
  mount(relayRoute, (c) => {
    const [speaker, isStranger] = [c.req.param("speaker") ?? "", c.get("isStranger")];
    return relay(c.req.raw, { speaker, address: addressIn(c), isStranger, onWait: c.env?.onWait });
  });
}

export function mountStreams(mount: Mount, running: Running, { viewers, tickets, limits, vigil }: Streams): void {
  mount("GET /openfloor/events", (c) =>
    openEventStream(c.req.raw, c.get("principal"), { viewers, limits, vigil, clock: running.clock }),
  );
  mount("POST /api/v1/tickets", async (c) => {
    const fields = await readJsonObject(c.req.raw, running.bodyBytesMax);
    const stranger = Object.keys(fields).find((name) => name !== "speaker");
    if (stranger !== undefined) {
      throw new Problem("bad-request", { pointer: `/${stranger}`, detail: "a ticket has a `speaker`, nothing else" });
    }
    return c.json(tickets.issue(c.get("principal"), textField(fields, "speaker")), 201);
  });
}
