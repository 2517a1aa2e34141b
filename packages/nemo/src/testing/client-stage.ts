import { NemoClient } from "../client/client.ts";
import type { NemoClientOptions, RunEvent, RunRequest } from "../client/client-options.ts";
import { type Peer, scriptedClock, scriptedServer } from "./scripted-server.ts";

export const url = "ws://127.0.0.1:8000/websocket";
export const hello: RunRequest = {
  schemaType: "chat_stream",
  messages: [{ role: "user", parts: [{ type: "text", text: "Ann: hello" }] }],
  userName: "Ann",
  extras: { openFloor: { conversationId: "c1" } },
};

export function scriptedClient(options: Partial<NemoClientOptions> = {}) {
  const server = scriptedServer();
  const clock = scriptedClock();
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `id-${ids}`;
  };
  const client = new NemoClient({ url, clock, newId, dialSocket: server.dialSocket, ...options });
  /** A run whose first message has reached the server. */
  const begun = async (request = hello) => {
    const happenings = client.run(request);
    const peer = await server.connection();
    const message = await peer.take();
    return { happenings, peer, message, say: serverMessages(peer, message) };
  };
  return { client, server, clock, begun };
}

/** Messages as the toolkit sends them, with a fixed timestamp. */
export function serverMessages(peer: Peer, { id, conversation_id }: Record<string, unknown>) {
  const send = (type: string, content: object, more: object = {}) =>
    peer.send({
      type,
      id: "x",
      thread_id: "default",
      parent_id: id,
      conversation_id,
      content,
      status: "in_progress",
      timestamp: "2026-11-15 20:40:56.753762+00:00",
      ...more,
    });
  return {
    delta: (text: string | null) => send("system_response_message", { text }),
    complete: (status = "complete") => send("system_response_message", { text: null }, { status }),
    step: (stepId: string, parent = "root") =>
      send("system_intermediate_message", { name: "Tool", payload: "1" }, { id: stepId, parent_id: parent }),
    prompt: (content: object = {}) =>
      send("system_interaction_message", {
        input_type: "text",
        text: "Name?",
        timeout: null,
        error: "Too late.",
        required: true,
        ...content,
      }),
    error: (code: string) => send("error_message", { code, message: "ValueError", details: "boom" }),
    trace: () => send("observability_trace_message", { observability_trace_id: "t1" }),
    send,
  };
}

export async function all(happenings: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const list: RunEvent[] = [];
  for await (const one of happenings) list.push(one);
  return list;
}

export const summary = (happenings: readonly RunEvent[]) =>
  happenings.map((one) => (one.kind === "delta" ? one.text : one.kind === "broken" ? one.error.code : one.kind));
