import { randomBytes } from "node:crypto";
import type { SocketDialler } from "@plenary/nemo";
import type { Agent } from "@plenary/sdk";
import type { Io } from "../io.ts";
import { type Kept, keptSecret, type OwnName } from "./identity.ts";
import type { NemoChoice } from "./nemo-settings.ts";

export const nemoAgentName = "nemo";

/** Of one message of a workflow. */
const answerBytesMax = 16_777_216;

const sessionKey: Kept = {
  ...{ file: "nemo-session-key", pattern: /^[\da-f]{64}$/u, lost: "a restart gives everybody a new session" },
  remedy: "start it where files can be written, or give --shared-session",
};

/** Made once, so that the workflow knows each person again after a restart. */
export async function sessionKeyOf(
  { sharedSession }: Pick<NemoChoice, "sharedSession">,
  io: Io,
): Promise<Pick<NemoChoice, "sessionKey">> {
  if (sharedSession === true) return {};
  const key = await keptSecret(sessionKey, randomBytes(32).toString("hex"), io);
  return key === undefined ? {} : { sessionKey: key };
}

type Tell = (error: unknown) => void;

/** The server of the operator's own configuration is called wherever it is (D32), and nothing else is called for it. */
export async function nemoAgent(
  choice: NemoChoice,
  tell: Tell,
  name: OwnName["name"] = {},
): Promise<{ agent: Agent; close: () => Promise<void> }> {
  const [{ createNemoAgent, isRefusal }, { createDialler }] = await Promise.all([
    import("@plenary/agents"),
    import("@plenary/sdk"),
  ]);
  const exemptOrigins = [new URL(choice.url).origin];
  const dialler = createDialler({ mode: "production", exemptOrigins, limits: { answerBytesMax } });
  const onError: Tell = (error) => tell(isRefusal(error) ? refusalWords(error, choice) : error);
  const agent = createNemoAgent({ ...choice, ...name, dialler, onError });
  const server = { ...choice, dialSocket: dialler.dialSocket.bind(dialler) };
  const stopLooking = await look(server, (error) => onError(isRefusal(error) ? error : absenceWords(error)));
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
function refusalWords(error: unknown, { headers, credential }: NemoChoice): string {
  const hasToken = headers !== undefined || credential !== undefined;
  const remedy = hasToken ? "check PLENARY_NEMO_TOKEN" : "set PLENARY_NEMO_TOKEN if it wants a token";
  return `${error instanceof Error ? error.message : "refused"}: ${remedy}, or see whether --url is its whole address`;
}

function absenceWords(error: unknown): string {
  const why = error instanceof Error ? error.message : "no socket";
  return `the workflow cannot be reached just now (${why}): until it is there, invites are declined`;
}

const lookMs = 3_000;

type Server = Pick<NemoChoice, "url" | "headers" | "credential"> & SocketDialler;

/** Whoever starts it learns at once that nobody is there; it is served all the same, since the workflow may come later. */
async function look(server: Server, tell: Tell): Promise<() => void> {
  const { NemoClient } = await import("@plenary/nemo");
  const clock = { now: Date.now, after };
  const limits = { connectMs: lookMs, authMs: lookMs };
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
