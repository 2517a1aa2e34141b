import type { Manifest } from "@plenary/protocol";
import { DialError } from "@plenary/sdk";

export type Peer = { speakerUri: string; servicing: readonly Manifest[]; discovery?: readonly Manifest[] };

/** A fake network: answers by address, and a record of the calls. */
export function network(peers: Record<string, Peer>) {
  const called: string[] = [];
  const bodies: { url: string; body: string }[] = [];
  const dial = async ({ url, body }: { url: string; body: string | Uint8Array }) => {
    called.push(url);
    bodies.push({ url, body: String(body) });
    const peer = peers[url];
    if (peer === undefined) throw new DialError(url, "unreachable", "no server listens there");
    const parameters = { servicingManifests: peer.servicing, discoveryManifests: peer.discovery ?? [] };
    const openFloor = {
      schema: { version: "1.1.0" },
      conversation: { id: "c" },
      sender: { speakerUri: peer.speakerUri },
      events: [{ eventType: "publishManifests", parameters }],
    };
    const bytes = new TextEncoder().encode(JSON.stringify({ openFloor }));
    return {
      status: 200,
      body: (async function* () {
        yield bytes;
      })(),
    };
  };
  return { dialler: { dial }, called, bodies, peers };
}

export const at = (manifest: Manifest) => manifest.identification.serviceUrl;
export const itself = (manifest: Manifest): Peer => ({
  speakerUri: manifest.identification.speakerUri,
  servicing: [manifest],
});
