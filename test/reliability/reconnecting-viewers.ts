// Viewers that reconnect after every cut with the cursor of the last received frame.
import { request } from "node:http";
import { createParser } from "eventsource-parser";
import { WebSocket } from "ws";
import { authorization, type Gate } from "./senders.ts";

export type Heard = { seq: number; text: string };

export type Follower = {
  conversation: string;
  heard: Heard[];
  connections: number;
  /** Breaks the present connection. */
  cut: () => void;
  stop: () => void;
  /** Rejects when it could not continue. */
  ended: Promise<void>;
};

type Connect = (url: string, after: number, take: (text: string) => void) => { closed: Promise<void>; cut: () => void };

export function followBySocket(conversation: string, speaker: string, gate: Gate): Follower {
  return follow(conversation, gate, (url, after, take) => {
    const query = new URLSearchParams({ speaker, conversation, after: String(after) });
    const ws = new WebSocket(`${url.replace("http", "ws")}/openfloor/ws?${query}`, { headers: authorization });
    ws.on("error", () => {});
    ws.on("message", (data) => take(String(data)));
    const closed = new Promise<void>((resolve) => ws.once("close", () => resolve()));
    return { closed, cut: () => ws.terminate() };
  });
}

export function followByEvents(conversation: string, speaker: string, gate: Gate): Follower {
  return follow(conversation, gate, (url, after, take) => {
    const query = new URLSearchParams({ speaker, conversation });
    const headers = { ...authorization, ...(after > 0 && { "last-event-id": String(after) }) };
    const outgoing = request(`${url}/openfloor/events?${query}`, { headers, agent: false });
    const closed = new Promise<void>((resolve) => {
      outgoing.on("error", () => resolve());
      outgoing.on("close", () => resolve());
    });
    outgoing.on("response", (response) => {
      const { feed } = createParser({
        onEvent: ({ id, data }) => {
          if (id !== undefined) take(`${data.slice(0, -1)},"seq":${Number(id)}}`);
        },
      });
      response.setEncoding("utf8").on("error", () => {});
      response.on("data", feed);
    });
    outgoing.end();
    return { closed, cut: () => outgoing.destroy() };
  });
}

function follow(conversation: string, gate: Gate, connect: Connect): Follower {
  const heard: Heard[] = [];
  let isOver = false;
  let line: ReturnType<Connect> | undefined;
  const take = (text: string) => {
    const frame = JSON.parse(text) as { seq?: number };
    if (frame.seq !== undefined) heard.push({ seq: frame.seq, text });
  };
  const run = async () => {
    while (!isOver) {
      const url = await gate.open();
      if (isOver) return;
      let isCut = false;
      // A frame after the cut does not count as received: the next connection asks for it again.
      const { closed, cut } = connect(url, heard.at(-1)?.seq ?? 0, (text) => !isCut && take(text));
      const cutHere = () => {
        isCut = true;
        cut();
      };
      line = { closed, cut: cutHere };
      follower.connections += 1;
      await closed;
      isCut = true;
    }
  };
  const follower: Follower = {
    conversation,
    heard,
    connections: 0,
    cut: () => line?.cut(),
    ended: Promise.resolve(),
    stop() {
      isOver = true;
      line?.cut();
    },
  };
  follower.ended = run();
  return follower;
}
