// An agent that connects to the floor and reconnects after every cut. It answers a repeated delivery again, with another
// text: the floor must count one answer only.
import { WebSocket } from "ws";
import { envelopeOf, type Json, utterance, wordsIn } from "../support/envelopes.ts";
import type { Delivered } from "./log-checks.ts";
import { authorization, type Gate } from "./senders.ts";

export type SocketAgent = {
  deliveries: Map<string, Delivered & { count: number }>;
  /** Whether it got the utterance. */
  hasHeard: (dialogEventId: string) => boolean;
  connections: () => number;
  stop: () => void;
  ended: Promise<void>;
};

/** `fate` says for each delivery whether the connection breaks before the answer, right after it, or stays. */
export function startSocketAgent(speaker: string, gate: Gate, fate: () => "before" | "after" | "stays"): SocketAgent {
  const deliveries: SocketAgent["deliveries"] = new Map();
  const heard = new Set<string>();
  let isOver = false;
  let connections = 0;
  let ws: WebSocket | undefined;
  const answer = (frame: Json): string | undefined => {
    if (typeof frame.delivery !== "string") return undefined;
    const { conversation, events } = frame.openFloor as { conversation: { id: string }; events: Json[] };
    const [word] = wordsIn(frame);
    const spoken = events[0]?.parameters as { dialogEvent?: { id: string } } | undefined;
    const known = deliveries.get(frame.delivery) ?? { count: 0, by: speaker };
    known.count += 1;
    if (spoken?.dialogEvent !== undefined) known.utterance = spoken.dialogEvent.id;
    if (known.utterance !== undefined) heard.add(known.utterance);
    deliveries.set(frame.delivery, known);
    const id = `${frame.delivery}#${known.count}`;
    const said = word?.startsWith("say ") ? [utterance(speaker, `re ${frame.delivery}`, { id })] : [];
    return JSON.stringify({ ...envelopeOf(conversation.id, speaker, said), inReplyTo: frame.delivery });
  };
  const run = async () => {
    while (!isOver) {
      const url = await gate.open();
      const query = new URLSearchParams({ speaker, as: "agent" });
      const socket = new WebSocket(`${url.replace("http", "ws")}/openfloor/ws?${query}`, { headers: authorization });
      ws = socket;
      connections += 1;
      socket.on("error", () => {});
      socket.on("message", (data) => {
        const text = answer(JSON.parse(String(data)) as Json);
        if (text === undefined || socket.readyState !== WebSocket.OPEN) return;
        const breaks = fate();
        if (breaks !== "before") socket.send(text);
        if (breaks !== "stays") socket.terminate();
      });
      await new Promise<void>((resolve) => socket.once("close", () => resolve()));
    }
  };
  return {
    deliveries,
    hasHeard: (dialogEventId) => heard.has(dialogEventId),
    connections: () => connections,
    stop() {
      isOver = true;
      ws?.terminate();
    },
    ended: run(),
  };
}
