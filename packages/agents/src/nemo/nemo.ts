import { NemoError } from "@plenary/nemo";
import { declineInvite, type EventOf } from "@plenary/protocol";
import { type Answer, createAgent, DialError, type HandlerInput } from "@plenary/sdk";
import { manifestOf, type ReadyMadeOptions } from "../identity.ts";
import { greetingOf } from "../llm/answer-policy.ts";
import { recordHeard, recordInvite } from "../llm/history.ts";
import { handleUtterance } from "./handle-utterance.ts";
import { closeSessions, type NemoContext, type NemoState, newNemoState, sessionFor, stopRuns } from "./session.ts";
import { type NemoSettings, nameOf, nemoConfigOf, takesOf } from "./settings.ts";

/** A conversant that answers with a running workflow of the NeMo Agent Toolkit. */
export function createNemoAgent(settings: NemoSettings & ReadyMadeOptions) {
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
    /** Closes all sockets. Runs of the workflow may continue on the server. */
    close() {
      for (const client of context.clients) client.close();
      context.clients.clear();
    },
  };
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
      keyphrases: [...new Set([...keyphrases, "workflow", name])],
      descriptions: [synopsis ?? "answers with a workflow of the NeMo Agent Toolkit"],
      ...(languages !== undefined && { languages }),
      input: takesOf(settings),
    },
    settings,
  );
  if (organization === undefined) return manifest;
  return { ...manifest, identification: { ...manifest.identification, organization } };
}

/** Opens the socket to check that the workflow is there; runs nothing. */
async function handleInvite(heard: HandlerInput<NemoState, EventOf<"invite">>, agent: NemoContext): Promise<Answer> {
  const { state, sender } = heard;
  recordInvite(heard);
  try {
    await sessionFor(sender.speakerUri, state, agent)?.client?.open();
    return undefined;
  } catch (error) {
    agent.config.onError(error);
    closeSessions(state, agent.clients);
    return declineInvite({ to: { speakerUri: sender.speakerUri }, reason: declineReason(error, agent.config) });
  }
}

/** Spec 1.15: a token and a text. @unavailable: the server is unreachable or overloaded. @error: it refused. */
function declineReason(error: unknown, { headers, credential }: NemoSettings): string {
  if (isCredentialRejected(error)) {
    const hasProof = headers !== undefined || credential !== undefined;
    return `@error the workflow ${hasProof ? "does not accept my credential" : "requires a credential"}`;
  }
  const cause = error instanceof NemoError ? error.cause : undefined;
  if (!(cause instanceof DialError)) return "@error the request to the workflow failed";
  const { code, status } = cause;
  if (code === "unreachable" || code === "timeout") return "@unavailable the workflow cannot be reached";
  if (status === undefined) return "@error the workflow cannot be reached";
  if (away.has(status)) return "@unavailable the workflow is temporarily unavailable";
  return `@error there is no workflow at this address: the server answered ${status}`;
}

/** The server wants another credential, or any at all. */
export function isCredentialRejected(error: unknown): boolean {
  if (!(error instanceof NemoError)) return false;
  const { code, cause } = error;
  return code === "refused" || (cause instanceof DialError && (cause.status === 401 || cause.status === 403));
}

/** Too many requests, and the errors of a proxy in front of a server that is down. */
const away: ReadonlySet<number> = new Set([429, 502, 503, 504]);
