// A floor that reaches an agent over the network: it knows the agent by the name of its host, keeps the address from its
// manifest, and calls that one from then on. It may come through a proxy that takes TLS off, has
// another Host header and says so in headers of its own.
// It contains no code of this project.
import { request } from "node:http";

type Met = { manifestAddress: string; senderAddress: string };

/** The address that the agent gives when it is asked at `port` of this machine under the name `host`. */
export async function meet(port: number, host: string, path: string, isProxied = false): Promise<Met> {
  const scheme = isProxied ? "https" : "http";
  const proxied = { host: `127.0.0.1:${port}`, "x-forwarded-host": host, "x-forwarded-proto": "https" };
  const openFloor = {
    schema: { version: "1.1.0" },
    conversation: { id: "abroad" },
    sender: { speakerUri: "tag:floor.example,2026:1", serviceUrl: "https://floor.example/" },
    events: [{ eventType: "getManifests", to: { serviceUrl: `${scheme}://${host}${path}` } }],
  };
  const text = await new Promise<string>((resolve, reject) => {
    const headers = { "content-type": "application/json", ...(isProxied ? proxied : { host }) };
    const asked = request({ host: "127.0.0.1", port, path, method: "POST", headers }, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part);
      resolve(Buffer.concat(parts).toString());
    });
    asked.on("error", reject);
    asked.end(JSON.stringify({ openFloor }));
  });
  const { sender, events } = JSON.parse(text).openFloor;
  const [manifest] = events[0].parameters.servicingManifests;
  return { manifestAddress: manifest.identification.serviceUrl, senderAddress: sender.serviceUrl };
}
