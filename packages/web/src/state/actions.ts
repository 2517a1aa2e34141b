import type { Discovery as DiscoveryResult, GuestLink, KnownAgent } from "@plenary/client";
import type { FloorEvent } from "@plenary/protocol";
import { type ExportFormat, exportKinds } from "@plenary/transcript";
import type { Client } from "../api/client.ts";
import { envelopeOf, sendEvents, utteranceOf } from "../api/envelopes.ts";
import { texts } from "../texts/texts.ts";
import type { ConversationStore } from "./conversation-store.ts";
import type { SayOptions } from "./types.ts";

type Options = { client: Client; id: string; me: string; store: ConversationStore };

export type Actions = ReturnType<typeof actionsOf>;

/**
 * Actions of a person. Each rejects with an Error whose message is a text for people. All use the public API: events
 * where the protocol has one, else commands.
 */
export function actionsOf({ client, id, me, store }: Options) {
  const path = `/api/v1/conversations/${encodeURIComponent(id)}`;
  const send = (...events: FloorEvent[]) => sendEvents(client, envelopeOf(id, me, events));
  const command = async (verb: string, fields: Record<string, unknown> = {}) => {
    await client.post(`${path}/${verb}`, fields);
    store.refresh();
  };
  const about = (eventType: FloorEvent["eventType"], speakerUri: string, reason?: string) =>
    send({ eventType, to: { speakerUri }, ...(reason && { reason }) } as FloorEvent);
  return {
    say: (text: string, options: SayOptions = {}) => store.outbox.say({ text, ...options }),
    retry: store.outbox.retry,
    discard: store.outbox.discard,
    raiseHand: () => send({ eventType: "requestFloor" }),
    yieldFloor: () => send({ eventType: "yieldFloor" }),
    grant: (speakerUri: string) => about("grantFloor", speakerUri),
    revoke: (speakerUri: string) => about("revokeFloor", speakerUri),
    /** `request` is sent to the agent in the same envelope. */
    invite: (serviceUrl: string, { speakerUri, request }: { speakerUri?: string; request?: string } = {}) => {
      const invite: FloorEvent = { eventType: "invite", to: { serviceUrl, ...(speakerUri && { speakerUri }) } };
      if (!speakerUri || !request) return send(invite);
      const saying = { id: `de:${crypto.randomUUID()}`, text: request, at: new Date().toISOString(), to: speakerUri };
      return send(invite, utteranceOf(me, saying));
    },
    uninvite: (speakerUri: string, reason?: string) => about("uninvite", speakerUri, reason),
    /** Undefined removes the convener. */
    appointConvener: (named: { speakerUri: string } | { serviceUrl: string } | undefined) => command("convener", named),
    /** Allows or refuses an agent's new address. */
    answerMove: (speakerUri: string, allow: boolean) => command("move", { speakerUri, allow }),
    /** For roles other than owner and convener. */
    changeRole: (role: string, speakerUri: string, assigned: boolean) =>
      command("role", { role, speakerUri, assigned }),
    stop: () => command("pause"),
    resume: () => command("resume"),
    rename: (title: string) => command("title", { title: title.trim() === "" ? null : title.trim() }),
    leave: () => store.leave(() => send({ eventType: "bye" })),
    close: () => command("close"),
    download: (format: ExportFormat) => {
      const { title = texts.common.conversation } = store.get().view;
      return downloadExport(client, `${path}/export?speaker=${encodeURIComponent(me)}&`, title, format);
    },
    makeGuestLink: (options: { label?: string; uses: number; expiresInS: number }) =>
      client.post<{ link: string }>(`${path}/links`, options),
    guestLinks: async () => (await client.get<{ links: GuestLink[] }>(`${path}/links`)).links,
    withdrawGuestLink: (link: string) => client.remove(`${path}/links/${encodeURIComponent(link)}`),
    knownAgents: async () => (await client.get<{ agents: KnownAgent[] }>("/api/v1/agents")).agents,
    /** Agents that the discovery agents recommend. */
    discover: (text: string) => client.post<DiscoveryResult>("/api/v1/discover", { text }),
    loadOlder: store.loadOlder,
  };
}

const patienceMs = 300_000;
const nameMax = 60;

/** Downloads an export as this reader may see it. A plain link would not carry the credential. */
async function downloadExport(client: Client, path: string, title: string, format: ExportFormat): Promise<void> {
  const body = await client.stream(`${path}format=${format}`, AbortSignal.timeout(patienceMs));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await new Response(body).blob());
  link.download = `${title.replace(/[^\p{L}\p{N} _-]+/gu, "-").slice(0, nameMax)}.${exportKinds[format].ending}`;
  link.click();
  // The browser may read the blob later.
  setTimeout(() => URL.revokeObjectURL(link.href), patienceMs);
}
