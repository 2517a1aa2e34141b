import type { Commands, Conversation, Floor } from "@plenary/client";
import { invite, textUtterance } from "@plenary/protocol";
import { type ExportFormat, exportKinds } from "@plenary/transcript";
import { texts } from "../texts/texts.ts";
import type { ConversationStore } from "./conversation-store.ts";
import type { SayOptions } from "./types.ts";

type Options = { floor: Floor; id: string; store: ConversationStore };

export type Actions = ReturnType<typeof actionsOf>;

/**
 * Actions of a person. What they reject with is shown by `errorText`. All use the public API: events where the protocol
 * has one, else commands.
 */
export function actionsOf({ floor, id, store }: Options) {
  const talk = floor.conversation(id);
  const params = { id };
  const command = async <Verb extends keyof Commands>(verb: Verb, fields: Commands[Verb]) => {
    await talk.command(verb, fields);
    store.refresh();
  };
  return {
    /** Resolves when the floor has stored it, however long it is away. */
    say: (text: string, options: SayOptions = {}) => talk.outbox.say({ text, ...options }),
    retry: (utterance: string) => talk.outbox.retry(utterance),
    discard: (utterance: string) => talk.outbox.discard(utterance),
    raiseHand: () => talk.requestFloor(),
    yieldFloor: () => talk.yieldFloor(),
    grant: (speakerUri: string) => talk.grantFloor(speakerUri),
    revoke: (speakerUri: string) => talk.revokeFloor(speakerUri),
    /** `request` is sent to the agent in the same envelope. */
    invite: (serviceUrl: string, { speakerUri, request }: { speakerUri?: string; request?: string } = {}) => {
      if (speakerUri === undefined || !request) return talk.invite({ serviceUrl, ...(speakerUri && { speakerUri }) });
      const about = { id: `de:${crypto.randomUUID()}`, speakerUri: talk.me, startTime: new Date().toISOString() };
      return talk.send(
        invite({ to: { serviceUrl, speakerUri } }),
        textUtterance(request, { ...about, to: { speakerUri } }),
      );
    },
    uninvite: (speakerUri: string, reason?: string) => talk.uninvite(speakerUri, reason ? { reason } : {}),
    /** Undefined removes the convener. */
    appointConvener: (named: { speakerUri: string } | { serviceUrl: string } | undefined) =>
      command("convener", named ?? {}),
    /** Allows or refuses an agent's new address. */
    answerMove: (speakerUri: string, allow: boolean) => command("move", { speakerUri, allow }),
    /** For roles other than owner and convener. */
    changeRole: (role: string, speakerUri: string, assigned: boolean) =>
      command("role", { role, speakerUri, assigned }),
    stop: () => command("pause", {}),
    resume: () => command("resume", {}),
    rename: (title: string) => command("title", { title: title.trim() === "" ? null : title.trim() }),
    leave: () => talk.leave(),
    close: () => command("close", {}),
    download: (format: ExportFormat) => downloadExport(talk, store.get().view.title, format),
    makeGuestLink: (options: { label?: string; uses: number; expiresInS: number }) =>
      floor.call("POST /api/v1/conversations/:id/links", { params, body: options }),
    guestLinks: async () => (await floor.call("GET /api/v1/conversations/:id/links", { params })).links,
    withdrawGuestLink: (link: string) =>
      floor.call("DELETE /api/v1/conversations/:id/links/:link", { params: { id, link } }),
    knownAgents: async () => (await floor.agents()).agents,
    /** Agents that the discovery agents recommend. */
    discover: (text: string) => floor.discover(text),
    loadOlder: store.loadOlder,
  };
}

const keptMs = 300_000;
const nameMax = 60;

/** Downloads an export as this reader may see it. A plain link would not carry the credential. */
async function downloadExport(talk: Conversation, title: string | undefined, format: ExportFormat): Promise<void> {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([await talk.export(format)]));
  const name = (title ?? texts.common.conversation).replace(/[^\p{L}\p{N} _-]+/gu, "-").slice(0, nameMax);
  link.download = `${name}.${exportKinds[format].ending}`;
  link.click();
  // The browser may read the blob later.
  setTimeout(() => URL.revokeObjectURL(link.href), keptMs);
}
