import { type ExportFormat, exportKinds } from "@plenary/transcript";
import type { Client } from "../api/client.ts";
import { envelopeOf, sendEvents, utteranceOf } from "../api/envelopes.ts";
import type { FloorEvent, GuestLink, KnownAgent } from "../api/types.ts";
import { texts } from "../texts/texts.ts";
import type { ConversationStore } from "./conversation-store.ts";
import type { Actions } from "./types.ts";

type Options = { client: Client; id: string; me: string; store: ConversationStore };

/** All actions use the public API: events where the protocol has one, else commands. */
export function actionsOf({ client, id, me, store }: Options): Actions {
  const path = `/api/v1/conversations/${encodeURIComponent(id)}`;
  const send = (...events: FloorEvent[]) => sendEvents(client, envelopeOf(id, me, events));
  const command = async (verb: string, fields: Record<string, unknown> = {}) => {
    await client.post(`${path}/${verb}`, fields);
    store.refresh();
  };
  const about = (eventType: FloorEvent["eventType"], speakerUri: string, reason?: string) =>
    send({ eventType, to: { speakerUri }, ...(reason && { reason }) } as FloorEvent);
  return {
    say: (text, options = {}) => store.outbox.say({ text, ...options }),
    retry: store.outbox.retry,
    discard: store.outbox.discard,
    raiseHand: () => send({ eventType: "requestFloor" }),
    yieldFloor: () => send({ eventType: "yieldFloor" }),
    grant: (speakerUri) => about("grantFloor", speakerUri),
    revoke: (speakerUri, reason) => about("revokeFloor", speakerUri, reason),
    invite: (serviceUrl, { speakerUri, request } = {}) => {
      const invite: FloorEvent = { eventType: "invite", to: { serviceUrl, ...(speakerUri && { speakerUri }) } };
      if (!speakerUri || !request) return send(invite);
      const saying = { id: `de:${crypto.randomUUID()}`, text: request, at: new Date().toISOString(), to: speakerUri };
      return send(invite, utteranceOf(me, saying));
    },
    uninvite: (speakerUri, reason) => about("uninvite", speakerUri, reason),
    appointConvener: (named) => command("convener", named),
    answerMove: (speakerUri, allow) => command("move", { speakerUri, allow }),
    changeRole: (role, speakerUri, assigned) => command("role", { role, speakerUri, assigned }),
    stop: () => command("pause"),
    resume: () => command("resume"),
    rename: (title) => command("title", { title: title.trim() === "" ? null : title.trim() }),
    leave: () => store.leave(() => send({ eventType: "bye" })),
    close: () => command("close"),
    download: (format) => {
      const { title = texts.common.conversation } = store.get().view;
      return downloadExport(client, `${path}/export?speaker=${encodeURIComponent(me)}&`, title, format);
    },
    makeGuestLink: (options) => client.post(`${path}/links`, options),
    guestLinks: async () => (await client.get<{ links: GuestLink[] }>(`${path}/links`)).links,
    withdrawGuestLink: (link) => client.remove(`${path}/links/${encodeURIComponent(link)}`),
    knownAgents: async () => (await client.get<{ agents: KnownAgent[] }>("/api/v1/agents")).agents,
    discover: (text) => client.post("/api/v1/discover", { text }),
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
