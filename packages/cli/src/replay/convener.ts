import { envelope, type FloorEvent } from "@plenary/protocol";
import type { ConvenerCall, ConvenerReply, Replayed, WhatIf } from "@plenary/transcript";
import { parseConfiguration } from "../config/configuration.ts";
import { FloorError } from "../errors.ts";
import type { Io } from "../io.ts";

/** The convener of a replay. */
export type ReplayConvener = {
  convener: WhatIf["convener"];
  /** For the report; absent for the recorded convener. */
  label?: string;
  ask(call: ConvenerCall): Promise<ConvenerReply>;
  /** Throws when it never became the convener. */
  assertSeated(replayed: Replayed): void;
  close(): Promise<void>;
};

/** Throws a FloorError for an unknown name or an invalid URL. */
export async function openConvener(who: string | undefined, env: Io["env"]): Promise<ReplayConvener> {
  if (who === undefined) return { convener: "recorded", ...noConvener };
  if (who === "none") return { convener: "none", label: "no convener", ...noConvener };
  if (/^https?:\/\//iu.test(who)) return overHttp(who, env);
  return builtInConvener(who);
}

const noConvener: Pick<ReplayConvener, "ask" | "assertSeated" | "close"> = {
  ask: async () => ({}),
  assertSeated: () => {},
  close: async () => {},
};

/** Waits as long as the floor would; after two misses in a row the convener loses its role (D11). */
async function overHttp(url: string, env: Io["env"]): Promise<ReplayConvener> {
  if (!URL.canParse(url)) throw new FloorError(`cannot call the convener ${url}: it is not a URL`);
  const { createDialler } = await import("@plenary/sdk");
  const { createConvenerOverHttp, systemClock, systemIds } = await import("@plenary/server");
  const { allowHosts, allowCidrs } = allowedIn(env);
  const { origin } = new URL(url);
  const dialler = createDialler({ mode: "local", allowHosts, allowCidrs, exemptOrigins: [origin] });
  const { ask } = createConvenerOverHttp({ dialler, clock: systemClock, ids: systemIds });
  let hasAnswered = false;
  return {
    convener: { serviceUrl: url },
    label: `convener ${url}`,
    async ask(call) {
      const { detail, ...reply } = await ask(call);
      if (reply.failure !== undefined && !hasAnswered) throw unreachableError(url, detail ?? reply.failure);
      hasAnswered = true;
      return reply;
    },
    assertSeated({ convener }) {
      if (convener === undefined) throw declinedError(url);
    },
    close: () => dialler.close(),
  };
}

function unreachableError(url: string, why: string): FloorError {
  const remedy = "start it, fix its address, or use a built-in one: --convener queue";
  return new FloorError(`the convener at ${url} cannot be called: ${why}; ${remedy}`);
}

function declinedError(url: string): FloorError {
  const why = "it did not accept the invite";
  return new FloorError(`the agent at ${url} does not convene: ${why}; give another, or --convener queue`);
}

/** The floor's allow lists; errors in its other settings do not matter here. */
function allowedIn(env: Io["env"]): { allowHosts: readonly string[]; allowCidrs: readonly string[] } {
  const { PLENARY_ALLOW_HOSTS, PLENARY_ALLOW_CIDRS } = env;
  const parsed = parseConfiguration({ host: "127.0.0.1" }, { PLENARY_ALLOW_HOSTS, PLENARY_ALLOW_CIDRS });
  return parsed.ok ? parsed.configuration : { allowHosts: [], allowCidrs: [] };
}

/** A built-in convener in this process, with the recorded times as its clock. */
async function builtInConvener(who: string): Promise<ReplayConvener> {
  const { virtualConvener, virtualConvenerNames } = await import("@plenary/agents");
  const name = who.replace(/^convener-/u, "");
  const self = {
    speakerUri: `tag:localhost,2025:convener-${name}`,
    serviceUrl: `urn:plenary:agent:convener-${name}`,
  };
  const convener = virtualConvener(name, self);
  if (convener === undefined) {
    const known = virtualConvenerNames.join(", ");
    throw new FloorError(`there is no built-in convener ${who}: use ${known}, a URL, or none`);
  }
  const saying = (id: string, events: readonly FloorEvent[]) =>
    envelope({ conversation: { id }, sender: self, events: [...events] });
  return {
    convener: { serviceUrl: self.serviceUrl },
    label: `convener ${name}`,
    async ask(call) {
      const nowMs = Date.parse(call.at);
      const { id } = call.floor;
      if (call.kind === "time") {
        const { events, ...ruled } = convener.wake(nowMs);
        return { ...ruled, envelope: saying(id, events) };
      }
      const { conversation, sender, events, isInvite, isDelegation: isDelegated } = call.effect;
      if (isInvite) return { envelope: saying(id, [{ eventType: "acceptInvite" }]) };
      const { events: answer, ...ruled } = convener.hear({ conversation, sender, events, isDelegated }, nowMs);
      return { ...ruled, envelope: saying(id, answer) };
    },
    assertSeated: () => {},
    close: async () => {},
  };
}
