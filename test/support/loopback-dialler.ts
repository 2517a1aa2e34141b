import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { Dialler, DialRequest } from "@plenary/server";

class LoopbackError extends Error {
  readonly code: string;
  readonly isSent: boolean;
  readonly retryable: boolean;

  constructor(code: string, isSent: boolean, cause: unknown) {
    super(code, { cause });
    this.code = code;
    this.isSent = isSent;
    this.retryable = !isSent && code !== "aborted";
  }
}

/** Reaches servers of this machine with node:http only. Counts its connections. */
export function createLoopbackDialler(): Dialler & { dialled: string[] } {
  const dialled: string[] = [];
  return {
    dialled,
    async dial(request) {
      dialled.push(request.url);
      const response = await post(request);
      const headers = new Headers();
      for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value));
      return { status: response.statusCode ?? 0, headers, body: response };
    },
  };
}

const agent = new Agent({ keepAlive: true });

function post({ url, body, headers, signal, onSent }: DialRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: "POST", headers, signal, agent }, resolve);
    let isSent = false;
    request.on("socket", (socket) => {
      const sent = () => {
        isSent = true;
        onSent?.();
      };
      if (socket.connecting) socket.once("connect", sent);
      else sent();
    });
    request.on("error", (error) => {
      const code = signal.aborted ? "aborted" : isSent ? "broken" : "unreachable";
      reject(new LoopbackError(code, isSent, error));
    });
    request.end(body);
  });
}
