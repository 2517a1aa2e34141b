import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { addressKey, addressOf } from "../auth/client-address.ts";
import type { ExpiryWatch } from "../auth/expiry-watch.ts";
import { assertHostAndOrigin } from "../auth/origin-check.ts";
import type { AccessContext, LifecycleContext, ProcessContext } from "../context.ts";
import { assertOpen, Problem } from "../errors.ts";
import { type Counts, createCounts } from "../keyed-counter.ts";
import type { StreamLimits } from "../limits.ts";
import { SocketConnection } from "../streams/websocket/connection.ts";
import { createHeartbeat } from "../streams/websocket/heartbeat.ts";
import { closeSockets, headersOf, refuse, type SocketUpgrade } from "../streams/websocket/upgrade.ts";
import type { NemoIdentity } from "./client-identity.ts";
import { createNemoSocket } from "./connection.ts";
import type { NemoPerson } from "./participant.ts";
import type { NemoParticipants } from "./participants.ts";
import { type NemoQuery, readNemoQuery } from "./query.ts";

type Options = {
  server: ProcessContext & AccessContext & LifecycleContext;
  identity: NemoIdentity;
  participants: NemoParticipants;
  limits: StreamLimits;
  expiryWatch: ExpiryWatch;
  /** Open sockets of the Open Floor streams, which count toward the same limit. */
  othersOpen: () => number;
};

/** Counts the open sockets: by address before the client has identified itself, by person after it. */
type OpenSockets = { byAddress: Counts; byPerson: Counts };

type AdmittedSocket = {
  query: NemoQuery;
  person: NemoPerson | undefined;
  address: string;
  releaseAnonymous: () => void;
};

/** `WS /websocket`: a NeMo client is a person at the floor. */
export function createNemoUpgrade(options: Options): SocketUpgrade {
  const { limits, server, othersOpen } = options;
  const [anonymous, identified] = [serverFor(limits.frameBytesMax), serverFor(limits.frameBytesMax * readMax)];
  const all = { [Symbol.iterator]: () => [...anonymous.clients, ...identified.clients].values() };
  const heartbeat = createHeartbeat(all, limits, server.clock);
  const openSockets: OpenSockets = { byAddress: createCounts(), byPerson: createCounts() };
  server.metrics.gauge({ name: "nemo_sockets", help: "NeMo clients that are connected.", read: count });
  function count(): number {
    return anonymous.clients.size + identified.clients.size;
  }
  return {
    count,
    upgrade(request, socket, head) {
      const url = `http://floor.invalid${request.url}`;
      if (!URL.canParse(url) || new URL(url).pathname !== "/websocket") return false;
      // Until the upgrade is decided, the socket has no other error listener.
      socket.on("error", ignore);
      const openNow = count() + othersOpen();
      admit(options, openSockets, { request, query: new URL(url).searchParams, openNow }).then(
        (admitted) => {
          if (socket.destroyed) return admitted.releaseAnonymous();
          // An invalid handshake closes the raw socket and opens no WebSocket.
          socket.once("close", admitted.releaseAnonymous);
          (admitted.person === undefined ? anonymous : identified).handleUpgrade(request, socket, head, (ws) => {
            heartbeat.watch(ws);
            open(options, openSockets, admitted, { ws, raw: socket });
          });
        },
        (error: unknown) => refuse(socket, error, server),
      );
      return true;
    },
    async close() {
      heartbeat.stop();
      const close = (sockets: WebSocketServer) =>
        closeSockets(sockets, server.clock, "the floor is closing, connect again");
      await Promise.all([anonymous, identified].map(close));
    },
  };
}

/**
 * From identified clients, a frame up to this many times too large is still read, as the toolkit does: the sender of a
 * large picture gets an error and keeps its connection.
 */
const readMax = 16;

/** Subprotocols that are offered are ignored, as the toolkit does. */
function serverFor(maxPayload: number): WebSocketServer {
  return new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false, handleProtocols: () => false });
}

function ignore(): void {}

type UpgradeRequest = { request: IncomingMessage; query: URLSearchParams; openNow: number };

async function admit(
  { server, identity, limits }: Options,
  { byAddress, byPerson }: OpenSockets,
  { request, query: given, openNow }: UpgradeRequest,
): Promise<AdmittedSocket> {
  assertOpen(server);
  if (openNow >= limits.streamsMax) throw new Problem("busy", { detail: "too many sockets are open" });
  const headers = headersOf(request);
  assertHostAndOrigin(headers, server.originPolicy);
  const query = readNemoQuery(given, headers);
  const address = addressOf(request, server.originPolicy);
  const { session, speaker, ticket } = query;
  const person = await identity.personOf({ headers, address, session, speaker, ticket });
  if (person !== undefined) {
    assertRoom(byPerson, person, limits);
    return { query, person, address, releaseAnonymous: ignore };
  }
  assertRoomForAnonymous(byAddress, addressKey(address));
  return { query, person, address, releaseAnonymous: byAddress.add(addressKey(address)) };
}

/** RFC 6455: normal closure, going away, no status. */
const normalCloseCodes: ReadonlySet<number> = new Set([1000, 1001, 1005]);

type RawSocket = { ws: WebSocket; raw: Duplex };

function open(
  options: Options,
  { byPerson }: OpenSockets,
  { query, person, address, releaseAnonymous }: AdmittedSocket,
  { ws, raw }: RawSocket,
): void {
  const { server, limits, expiryWatch } = options;
  const connection = new SocketConnection(ws, raw, limits, server);
  let principal = person?.principal;
  let release = () => {};
  const setPerson = (one: NemoPerson) => {
    releaseAnonymous();
    cancelDeadline();
    release();
    principal = one.principal;
    // The socket may have closed during authentication.
    if (ws.readyState === ws.CLOSED) return;
    const leave = byPerson.add(one.speakerUri);
    const stopWatching = expiryWatch.watch(one.principal, () => connection.close(4001, "this credential has ended"));
    release = () => {
      leave();
      stopWatching();
    };
  };
  const cancelDeadline =
    person === undefined
      ? server.clock.at(server.clock.now() + identifyWithinMs, () => {
          const detail = "the client did not authenticate in time";
          socket.refuse(new Problem("unauthorized", { detail, fix: "connect again and send an auth_message first" }));
          connection.close(4401, "not authenticated");
        })
      : ignore;
  const onPerson = (one: NemoPerson) => {
    assertRoom(byPerson, one, limits);
    setPerson(one);
  };
  const socket = createNemoSocket({ ...options, query, address, person, connection, onPerson });
  if (person !== undefined) setPerson(person);
  const admitFrame = () => {
    if (principal === undefined) server.access.admitAnyone(address);
    else server.access.admitFrame(principal);
  };
  const inbox = createInbox(socket, { connection, limits, admitFrame });
  ws.on("message", inbox.take);
  ws.on("close", (code) => {
    releaseAnonymous();
    cancelDeadline();
    release();
    socket.close(normalCloseCodes.has(code));
  });
  inbox.first(() => socket.resume());
}

/** Handles messages in order. The rate limit counts each one first. */
function createInbox(
  socket: ReturnType<typeof createNemoSocket>,
  { connection, limits, admitFrame }: { connection: SocketConnection; limits: StreamLimits; admitFrame: () => void },
) {
  let last: Promise<void> = Promise.resolve();
  let [waiting, refused] = [0, 0];
  const take = (data: Buffer, isBinary: boolean) => {
    try {
      admitFrame();
      refused = Math.max(0, refused - 1);
      if (isBinary) throw new Problem("bad-request", { detail: "frames are text, not binary", fix: "send text" });
      if (data.length > limits.frameBytesMax) throw tooLarge(limits);
      if (waiting >= limits.framesWaitingMax) throw new Problem("busy");
    } catch (error) {
      refused += 1;
      if (refused > limits.framesRefusedMax) connection.close(1008, "too many frames, connect again later");
      else socket.refuse(error);
      return;
    }
    waiting += 1;
    const text = data.toString();
    last = last
      .then(() => socket.take(text))
      .finally(() => {
        waiting -= 1;
      });
  };
  return {
    take,
    first(work: () => Promise<void>): void {
      last = work();
    },
  };
}

function tooLarge({ frameBytesMax }: StreamLimits): Problem {
  const fix = "send less at once, and pictures, sounds and videos by their http or https address";
  return new Problem("too-large", { detail: `a message has at most ${frameBytesMax} bytes`, fix });
}

/** Limits the open sockets of each person. Throws the problem. */
function assertRoom(byPerson: Counts, { speakerUri }: NemoPerson, { streamsPerSpeakerMax: max }: StreamLimits): void {
  if (byPerson.of(speakerUri) < max) return;
  throw new Problem("busy", { detail: `one person has at most ${max} sockets`, fix: "close one of them" });
}

const identifyWithinMs = 10_000;
const perAddressMax = 16;
const allMax = 512;

/** Limits the sockets whose clients have not identified themselves. Throws the problem. */
function assertRoomForAnonymous(byAddress: Counts, address: string): void {
  if (byAddress.of(address) < perAddressMax && byAddress.all() < allMax) return;
  const detail = "too many sockets are open whose clients have not identified themselves";
  const fix = "send `Authorization: Bearer TOKEN` when you connect, or try again later";
  throw new Problem("busy", { detail, fix });
}
