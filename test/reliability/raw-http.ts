// Requests over kept connections, without any library.
import { Agent, type IncomingHttpHeaders, request } from "node:http";

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string };

const connections = new Agent({ keepAlive: true, maxSockets: 512 });

/** For a test that sent nothing for a while: the server may be closing idle connections at this moment. */
export function closeConnections(): void {
  connections.destroy();
}

export function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return send(url, { method: "GET", headers });
}

export function post(url: string, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  const length = String(Buffer.byteLength(body));
  const given = { "content-type": "application/json", "content-length": length, ...headers };
  return send(url, { method: "POST", headers: given }, body);
}

type Options = { method: string; headers: Record<string, string> };

/** Rejects when the connection breaks before the whole answer has arrived. */
function send(url: string, options: Options, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { ...options, agent: connections, timeout: 60_000 }, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (more: string) => {
        text += more;
      });
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }));
      incoming.on("error", reject);
      incoming.on("aborted", () => reject(new Error("the answer broke off")));
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("no answer for a minute")));
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
