import { relayUrlOf } from "@plenary/floor";
import type { SocketOutbound } from "../delivery/socket/outbound.ts";
import type { FloorIdentity } from "../ports/outbound.ts";
import { speakerAt } from "../ports/relay-address.ts";
import type { Hosted } from "./hosted.ts";
import type { AgentRecord } from "./record.ts";

/** Where agents run, by their address. */
export type AgentLocations = {
  placeOf(serviceUrl: string): AgentRecord["place"];
  /** Whether the agent at this relay address of the floor has an open socket. */
  isConnected(serviceUrl: string): boolean;
  /** The relay addresses of all agents with an open socket. */
  connected(): readonly string[];
};

type LocationSources = { hosted: Hosted; sockets: SocketOutbound; self: () => FloorIdentity };

export function agentLocations({ hosted, sockets, self }: LocationSources): AgentLocations {
  const speakerOf = (serviceUrl: string) => speakerAt(self().serviceUrl, serviceUrl);
  return {
    placeOf(serviceUrl) {
      if (hosted.serviceUrls().includes(serviceUrl)) return "hosted";
      return speakerOf(serviceUrl) === undefined ? "elsewhere" : "socket";
    },
    isConnected(serviceUrl) {
      const speaker = speakerOf(serviceUrl);
      return speaker !== undefined && sockets.isConnected(speaker);
    },
    connected: () => sockets.connected().map((speaker) => relayUrlOf(self().serviceUrl, speaker)),
  };
}
