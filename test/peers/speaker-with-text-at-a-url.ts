// A floor that sends long text by reference: the text token has a valueUrl and no value, as spec 1.10.1 allows. Seen where
// speech is transcribed elsewhere, and where a floor keeps attachments apart from envelopes.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { person, post, type WireEvent } from "./foreign-floor.ts";

export async function startSpeakerWithWordsAtUrl(words: string) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const isThere = request.url === "/words.txt";
    response.writeHead(isThere ? 200 : 404, { "content-type": "text/plain; charset=utf-8" }).end(isThere ? words : "?");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  return {
    asked,
    host,
    /** An utterance with the text at that path, in `count` tokens. */
    say: async (agentUrl: string, path = "/words.txt", { to = {}, count = 1 } = {}): Promise<WireEvent[]> => {
      const tokens = Array.from({ length: count }, () => ({ valueUrl: `http://${host}${path}` }));
      const features = { text: { mimeType: "text/plain", tokens } };
      const span = { startTime: "2026-01-01T00:00:00Z" };
      const dialogEvent = { id: `de-${asked.length}`, speakerUri: person, span, features };
      return (await post(agentUrl, [{ eventType: "utterance", ...to, parameters: { dialogEvent } }])).events;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
