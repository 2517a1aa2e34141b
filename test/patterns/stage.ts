// A floor on a port of its own, people at it, and agents made with the SDK, each with a port of its own.
import { type Agent, type AgentManifest, listen } from "@plenary/sdk";
import { createMemoryCredentials, newCredentialToken } from "@plenary/server";
import { utterance } from "../floor/agents.ts";
import { ann, startWorld, textOf, token } from "../floor/world.ts";

export type Stage = Awaited<ReturnType<typeof openStage>>;

const closers: (() => Promise<void>)[] = [];

export async function closeStages(): Promise<void> {
  // The floor first, or agents would wait for what it still asks them.
  for (const close of closers.splice(0)) await close();
}

export function manifestOf(name: string): AgentManifest {
  return {
    identification: {
      speakerUri: `tag:${name}.example,2026:1`,
      organization: "Example",
      conversationalName: name,
      synopsis: `is ${name}`,
    },
    capabilities: [{ keyphrases: [name], descriptions: [name] }],
  };
}

export const speakerOf = (name: string) => manifestOf(name).identification.speakerUri;

export async function serve(agent: Agent): Promise<string> {
  const listening = await listen(agent, { port: 0 });
  closers.push(() => listening.close());
  return listening.url;
}

export async function openStage() {
  const credentials = createMemoryCredentials();
  const world = await startWorld({ credentials });
  closers.push(() => world.close());
  const keyFor = async (speakerUri: string, isHost: boolean, isPerson = false) => {
    const key = newCredentialToken("key");
    const bound = { speakers: [speakerUri], isPerson, scopes: isHost ? (["host"] as const) : [] };
    const createdAt = new Date().toISOString();
    await credentials.add({ id: key.id, kind: "key", hash: key.hash, ...bound, createdAt });
    return key.token;
  };
  const open = async (id: string, ...urls: string[]) => {
    await world.call("POST", "/api/v1/conversations", { id, owner: { identification: { speakerUri: ann } } });
    for (const url of urls) await world.invite(id, { url });
    return id;
  };
  return {
    ...world,
    ...{ open, keyFor, token },
    whisper: (conversation: string, text: string, to: string, as = ann) =>
      world.send(conversation, [utterance(as, text, { to: { speakerUri: to, private: true } })], { as }),
    /** What was said there, one line each, as its reader may see it: who sent it, whose words they are, and what. */
    told: async (conversation: string, speaker?: string) =>
      (await world.log(conversation, speaker)).flatMap(({ kind, sender = "", event, because }) => {
        // A newcomer that accepts without a word is given the floor (D23); no pattern is about that.
        if (kind !== "event" || event === undefined || because === "2.1/granted-on-joining") return [];
        const text = textOf(event);
        if (text === undefined) return [`${nameOf(sender)} ${event.eventType}`];
        const { dialogEvent } = event.parameters as { dialogEvent: { speakerUri: string } };
        const by = dialogEvent.speakerUri === sender ? "" : ` for ${nameOf(dialogEvent.speakerUri)}`;
        return [`${nameOf(sender)}${by}${event.to?.private === true ? " (private)" : ""}: ${text}`];
      }),
  };
}

function nameOf(speakerUri: string): string {
  return (
    /^tag:people\.example,2026:(.+)$/u.exec(speakerUri)?.[1] ?? /^tag:([^.]+)/u.exec(speakerUri)?.[1] ?? speakerUri
  );
}
