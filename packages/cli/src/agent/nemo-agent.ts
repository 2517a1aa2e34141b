import { randomBytes } from "node:crypto";
import type { SocketDialler } from "@plenary/nemo";
import type { Agent } from "@plenary/sdk";
import type { Io } from "../io.ts";
import { type AgentIdentity, loadOrCreateSecret, type StoredSecret } from "./identity.ts";
import type { NemoChoice } from "./nemo-settings.ts";

export const nemoAgentName = "nemo";

/** For one message of a workflow. */
const answerBytesMax = 16_777_216;

const sessionKey: StoredSecret = {
  file: "nemo-session-key",
  pattern: /^[\da-f]{64}$/u,
  lost: "every person gets a new session after a restart",
  remedy: "start it in a writable folder, or give --shared-session",
};

/** Kept, so that each person has the same workflow session after a restart. */
export async function sessionKeyOf(
  { sharedSession }: Pick<NemoChoice, "sharedSession">,
  io: Io,
): Promise<Pick<NemoChoice, "sessionKey">> {
  if (sharedSession === true) return {};
  const key = await loadOrCreateSecret(sessionKey, randomBytes(32).toString("hex"), io);
  return key === undefined ? {} : { sessionKey: key };
}

type ErrorHandler = (error: unknown) => void;

/** The configured server may be dialled at any address (D32), and nothing else. */
export async function nemoAgent(
  choice: NemoChoice,
  tell: ErrorHandler,
  name: AgentIdentity["name"] = {},
): Promise<{ agent: Agent; close: () => Promise<void> }> {
  const [{ createNemoAgent, isCredentialRejected }, { createDialler }] = await Promise.all([
    import("@plenary/agents"),
    import("@plenary/sdk"),
  ]);
  const exemptOrigins = [new URL(choice.url).origin];
  const dialler = createDialler({ mode: "production", exemptOrigins, limits: { answerBytesMax } });
  const onError: ErrorHandler = (error) => tell(isCredentialRejected(error) ? refusalMessage(error, choice) : error);
  const agent = createNemoAgent({ ...choice, ...name, dialler, onError });
  const server = { ...choice, dialSocket: dialler.dialSocket.bind(dialler) };
  const stopLooking = await checkConnection(server, (error) =>
    onError(isCredentialRejected(error) ? error : unreachableMessage(error)),
  );
  return {
    agent,
    async close() {
      stopLooking();
      agent.close();
      await dialler.close();
    },
  };
}

/** Servers refuse a wrong path like a wrong credential, so the message names both. */
function refusalMessage(error: unknown, { headers, credential }: NemoChoice): string {
  const hasToken = headers !== undefined || credential !== undefined;
  const remedy = hasToken ? "check PLENARY_NEMO_TOKEN" : "set PLENARY_NEMO_TOKEN if it needs a token";
  return `${error instanceof Error ? error.message : "refused"}: ${remedy}, and check that --url is its full address`;
}

function unreachableMessage(error: unknown): string {
  const why = error instanceof Error ? error.message : "no socket";
  return `the workflow cannot be reached (${why}): until it can, invites are declined`;
}

const checkMs = 3_000;

type Server = Pick<NemoChoice, "url" | "headers" | "credential"> & SocketDialler;

/** Reports an unreachable workflow at startup. The agent is served anyway, because the workflow may start later. */
async function checkConnection(server: Server, tell: ErrorHandler): Promise<() => void> {
  const { NemoClient } = await import("@plenary/nemo");
  const clock = { now: Date.now, after };
  const limits = { connectMs: checkMs, authMs: checkMs };
  const client = new NemoClient({ ...server, clock, limits, newId: () => crypto.randomUUID() });
  let isWanted = true;
  const stop = () => {
    isWanted = false;
    client.close();
  };
  client.open().then(stop, (error) => {
    if (isWanted) tell(error);
  });
  return stop;
}

function after(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
