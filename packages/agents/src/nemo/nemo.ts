import { declineInvite, type EventOf } from "@plenary/protocol";
import { type Agent, type Answer, createAgent, type HandlerInput } from "@plenary/sdk";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { linesFromInvite } from "../llm/history.ts";
import { recordHeard } from "../llm/history-store.ts";
import { declineReason } from "./decline-reason.ts";
import { handleUtterance } from "./handle-utterance.ts";
import type { NemoContext } from "./run-until-pause.ts";
import { sessionFor } from "./session.ts";
import { type NemoSettings, nameOf, nemoConfigOf, takesOf } from "./settings.ts";
import { closeSessions, type NemoState, newNemoState, stopRuns } from "./state.ts";

export type NemoAgent = Agent & {
  /** Closes all sockets. Runs of the workflow may continue on the server. */
  close(): void;
};

/** A conversant that answers with a running workflow of the NeMo Agent Toolkit. */
export function createNemoAgent(settings: NemoSettings & ReadyMadeOptions): NemoAgent {
  const manifest = nemoManifest(settings);
  const { speakerUri } = manifest.identification;
  const config = nemoConfigOf(settings, { speakerUri, readHistory: settings.readHistory });
  const context: NemoContext = { config, clients: new Set() };
  const agent = createAgent<NemoState>({
    manifest,
    greeting: settings.greeting ?? greetingOf(config),
    newState: newNemoState,
    onForget: (state) => closeSessions(state, context.clients),
    onError: config.onError,
    onInvite: (heard) => handleInvite(heard, context),
    onUtterance(heard) {
      recordHeard(heard, config);
      return handleUtterance(heard, context);
    },
    onOverheard(heard) {
      recordHeard(heard, config);
      return undefined;
    },
    onRevoke({ state }) {
      stopRuns(state);
      return undefined;
    },
    onUninvite({ state }) {
      closeSessions(state, context.clients);
      return undefined;
    },
  });
  return {
    ...agent,
    close() {
      for (const client of context.clients) client.close();
      context.clients.clear();
    },
  };
}

function greetingOf({ name, policy }: { name: string; policy: "addressed" | "open" }): string {
  return `Hello, I am ${name}. ${policy === "open" ? "Ask me anything." : `Write @${name} or whisper to me, and I answer.`}`;
}

function nemoManifest(settings: NemoSettings & ReadyMadeOptions) {
  const { organization, languages, synopsis, keyphrases = [] } = settings;
  const name = nameOf(settings);
  // Several agents may run on one machine, each without knowing its own address.
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

/** Opens the socket to check that the workflow is there; runs nothing. */
async function handleInvite(heard: HandlerInput<NemoState, EventOf<"invite">>, agent: NemoContext): Promise<Answer> {
  const { event, state, sender, conversation } = heard;
  const to = { speakerUri: sender.speakerUri };
  state.arrival = conversation;
  state.inviteHistory = linesFromInvite(event, sender.speakerUri);
  try {
    await sessionFor(sender.speakerUri, state, agent)?.client?.open();
    return undefined;
  } catch (error) {
    agent.config.onError(error);
    closeSessions(state, agent.clients);
    return declineInvite({ to, reason: declineReason(error, hasProof(agent.config)) });
  }
}

function hasProof({ headers, credential }: NemoSettings): boolean {
  return headers !== undefined || credential !== undefined;
}
