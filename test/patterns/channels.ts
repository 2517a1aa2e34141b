// Channels, and an agent as their target.
import { type ChannelOptions, createAgent, createChannel, type UtteranceInput } from "@plenary/sdk";
import { manifestOf, serve } from "./sdk-agents-floor.ts";

export const channel = (serviceUrl: string, more: Partial<ChannelOptions> = {}, name = "channel") =>
  serve(createChannel({ manifest: manifestOf(name), target: { serviceUrl }, onError: () => {}, ...more }));

export const sage = (onUtterance: (heard: UtteranceInput<unknown>) => string = ({ text }) => `Sage: ${text}`) =>
  serve(createAgent({ manifest: manifestOf("sage"), greeting: "Sage here.", onUtterance }));
