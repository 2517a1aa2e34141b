import { randomBytes } from "node:crypto";
import type { SocketDialler } from "@plenary/nemo";
import type { Agent } from "@plenary/sdk";
import type { Io } from "../io.ts";
import { type AgentIdentity, loadOrCreateSecret, type StoredSecret } from "./identity.ts";
import type { NemoChoice } from "./nemo-settings.ts";

export const nemoAgentName = "nemo";

/** Of one message of a workflow. */
const answerBytesMax = 16_777_216;

const sessionKey: StoredSecret = {
  ...{ file: "nemo-session-key", pattern: /^[\da-f]{64}$/u, lost: "a restart gives everybody a new session" },
  remedy: "start it where files can be written, or give --shared-session",
};

/** Made once, so that the workflow knows each person again after a restart. */
export async function sessionKeyOf(
  { sharedSession }: Pick<NemoChoice, "sharedSession">,
  io: Io,
): Promise<Pick<NemoChoice, "sessionKey">> {
  if (sharedSession === true) return {};
  const key = await loadOrCreateSecret(sessionKey, randomBytes(32).toString("hex"), io);
  return key === undefined ? {} : { sessionKey: key };
}

type ErrorHandler = (error: unknown) => void;

/** The server of the operator's own configuration is called wherever it is (D32), and nothing else is called for it. */
export async function nemoAgent(
  choice: NemoChoice,
  tell: ErrorHandler,
  name: AgentIdentity["name"] = {},
): Promise<{ agent: Agent; close: () => Promise<void> }> {
  const [{ createNemoAgent, isRefusal }, { createDialler }] = await Promise.all([
    import("@plenary/agents"),
    import("@plenary/sdk"),
  ]);
  const exemptOrigins = [new URL(choice.url).origin];
  const dialler = createDialler({ mode: "production", exemptOrigins, limits: { answerBytesMax } });
  const onError: ErrorHandler = (error) => tell(isRefusal(error) ? refusalMessage(error, choice) : error);
  const agent = createNemoAgent({ ...choice, ...name, dialler, onError });
  const server = { ...choice, dialSocket: dialler.dialSocket.bind(dialler) };
  const stopLooking = await checkConnection(server, (error) =>
    onError(isRefusal(error) ? error : unreachableMessage(error)),
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

/** A wrong path is refused like a wrong credential. */
function refusalMessage(error: unknown, { headers, credential }: NemoChoice): string {
  const hasToken = headers !== undefined || credential !== undefined;
  const remedy = hasToken ? "check PLENARY_NEMO_TOKEN" : "set PLENARY_NEMO_TOKEN if it wants a token";
  return `${error instanceof Error ? error.message : "refused"}: ${remedy}, or see whether --url is its whole address`;
}

function unreachableMessage(error: unknown): string {
  const why = error instanceof Error ? error.message : "no socket";
  return `the workflow cannot be reached just now (${why}): until it is there, invites are declined`;
}

const checkMs = 3_000;

type Server = Pick<NemoChoice, "url" | "headers" | "credential"> & SocketDialler;

/** Whoever starts it learns at once that nobody is there; it is served all the same, since the workflow may come later. */
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
