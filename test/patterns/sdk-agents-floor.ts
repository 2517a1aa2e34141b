// A test floor, its people, and agents made with the SDK, each on a port of its own.
import { type Agent, type AgentManifest, listen } from "@plenary/sdk";
import { createMemoryCredentials } from "@plenary/server";
import { ann, textOf } from "../support/envelopes.ts";
import { addKey, named, startTestFloor } from "../support/start-test-floor.ts";

export type SdkAgentsFloor = Awaited<ReturnType<typeof startSdkAgentsFloor>>;

const closers: (() => Promise<void>)[] = [];

export async function closeFloorsAndAgents(): Promise<void> {
  // The floor closes first, because agents wait for its open requests.
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

export async function startSdkAgentsFloor() {
  const credentials = createMemoryCredentials();
  const floor = await startTestFloor({ credentials });
  closers.push(() => floor.close());
  return {
    ...floor,
    keyFor: (speakerUri: string, isHost: boolean, isPerson = false) =>
      addKey(credentials, speakerUri, { isPerson, scopes: isHost ? ["host"] : [] }),
    open: async (id: string, ...urls: string[]) => {
      await floor.must("POST", "/api/v1/conversations", { id, owner: named(ann) });
      for (const url of urls) await floor.invite(id, { url });
      return id;
    },
    whisper: (conversation: string, text: string, to: string, as = ann) =>
      floor.say(conversation, text, { as, to: { speakerUri: to, private: true } }),
    /** One line for each event that the reader may see: its sender, its speaker and its text. */
    transcript: async (conversation: string, speaker?: string) =>
      (await floor.log(conversation, speaker)).flatMap(({ kind, sender = "", event, because }) => {
        // A new conversant that accepts without an utterance gets the floor (D23); no pattern is about that.
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
