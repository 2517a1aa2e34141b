import { relayUrlOf } from "@plenary/floor";
import type { Whereabouts } from "./agents.ts";
import type { Hosted } from "./hosted.ts";
import type { SocketOutbound } from "./outbound/socket.ts";
import type { Self } from "./ports.ts";
import { speakerAt } from "./relay-address.ts";

type Desk = { hosted: Hosted; sockets: SocketOutbound; self: () => Self };

export function whereaboutsOf({ hosted, sockets, self }: Desk): Whereabouts {
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
