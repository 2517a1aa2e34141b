import { relayUrlOf } from "@plenary/floor";
import { speakerAt } from "../conversation/relay-address.ts";
import type { SocketOutbound } from "../delivery/socket/outbound.ts";
import type { Self } from "../ports/outbound.ts";
import type { Hosted } from "./hosted.ts";
import type { Whereabouts } from "./registry.ts";

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
