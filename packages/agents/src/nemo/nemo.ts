import { declineInvite, type EventOf } from "@plenary/protocol";
import { type Agent, type Answer, createAgent, type Heard } from "@plenary/sdk";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { linesTold } from "../llm/history.ts";
import { hear } from "../llm/listening.ts";
import type { Self } from "./leg.ts";
import { reasonOfDeclining } from "./refusal.ts";
import { respond } from "./respond.ts";
import { sessionFor } from "./session.ts";
import { bridgeOf, type NemoSettings, nameOf, takesOf } from "./settings.ts";
import { abandon, type NemoState, newNemoState, part } from "./state.ts";

export type NemoAgent = Agent & {
  /** Hangs up; runs of the workflow may go on unheard. */
  close(): void;
};

/** A workflow of the NeMo Agent Toolkit, served somewhere, as a conversant. */
export function createNemoAgent(settings: NemoSettings & ReadyMadeOptions): NemoAgent {
  const manifest = nemoManifest(settings);
  const { speakerUri } = manifest.identification;
  const bridge = bridgeOf(settings, { speakerUri, recall: settings.recall });
  const self: Self = { bridge, clients: new Set() };
  const agent = createAgent<NemoState>({
    manifest,
    greeting: settings.greeting ?? greetingOf(bridge),
    newState: newNemoState,
    onForget: (state) => part(state, self.clients),
    onError: bridge.onError,
    onInvite: (heard) => arrive(heard, self),
    onUtterance(heard) {
      hear(heard, bridge);
      return respond(heard, self);
    },
    onOverheard(heard) {
      hear(heard, bridge);
      return undefined;
    },
    onRevoke({ state }) {
      abandon(state);
      return undefined;
    },
    onUninvite({ state }) {
      part(state, self.clients);
      return undefined;
    },
  });
  return {
    ...agent,
    close() {
      for (const client of self.clients) client.close();
      self.clients.clear();
    },
  };
}

function greetingOf({ name, policy }: { name: string; policy: "addressed" | "open" }): string {
  return `Hello, I am ${name}. ${policy === "open" ? "Ask me anything." : `Write @${name} or whisper to me, and I answer.`}`;
}

function nemoManifest(settings: NemoSettings & ReadyMadeOptions) {
  const { organization, languages, synopsis, keyphrases = [] } = settings;
  const name = nameOf(settings);
  // Several may run on one machine, each without knowing its own address.
  const own = settings.serviceUrl === undefined ? `nemo-${name.toLowerCase().replaceAll(/[^a-z\d]+/gu, "-")}` : "nemo";
  const manifest = manifestOf(
    {
      name: own,
      conversationalName: name,
      synopsis: synopsis ?? "A workflow of the NeMo Agent Toolkit.",
      capabilities: [
        {
          keyphrases: [...new Set([...keyphrases, "workflow", name])],
          descriptions: [synopsis ?? "answers with a workflow of the NeMo Agent Toolkit"],
          ...(languages !== undefined && { languages: [...languages] }),
          supportedLayers: { input: [...takesOf(settings)], output: ["text"] },
        },
      ],
    },
    settings,
  );
  if (organization === undefined) return manifest;
  return { ...manifest, identification: { ...manifest.identification, organization } };
}

/** The socket is opened to see whether the workflow is there; it is not run. */
async function arrive(heard: Heard<NemoState, EventOf<"invite">>, self: Self): Promise<Answer> {
  const { event, state, sender, conversation } = heard;
  const to = { speakerUri: sender.speakerUri };
  state.arrival = conversation;
  state.told = linesTold(event, sender.speakerUri);
  try {
    await sessionFor(sender.speakerUri, state, self)?.client?.open();
    return undefined;
  } catch (error) {
    self.bridge.onError(error);
    part(state, self.clients);
    return declineInvite({ to, reason: reasonOfDeclining(error, hasProof(self.bridge)) });
  }
}

function hasProof({ headers, credential }: NemoSettings): boolean {
  return headers !== undefined || credential !== undefined;
}
