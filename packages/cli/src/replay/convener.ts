import { envelope, type FloorEvent } from "@plenary/protocol";
import type { ConvenerCall, ConvenerReply, Replayed, WhatIf } from "@plenary/transcript";
import { parseConfiguration } from "../config/configuration.ts";
import { FloorError } from "../errors.ts";
import type { Io } from "../io.ts";

/** Whoever has the chair when a conversation is decided again. */
export type ReplayConvener = {
  convener: WhatIf["convener"];
  /** How the report calls it; absent when it stays as it was. */
  label?: string;
  ask(call: ConvenerCall): Promise<ConvenerReply>;
  /** Throws when it never took the chair. */
  assertSeated(replayed: Replayed): void;
  close(): Promise<void>;
};

/** Throws a FloorProblem that says what to do when nobody of that name or address can be asked. */
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

/** One that hangs is waited for as long as the floor would have; after two misses in a row the role is gone (D11). */
async function overHttp(url: string, env: Io["env"]): Promise<ReplayConvener> {
  if (!URL.canParse(url)) throw new FloorError(`cannot ask the convener ${url}: it is not a URL`);
  const { createDialler } = await import("@plenary/sdk");
  const { createConvenerOverHttp, systemClock, systemIds } = await import("@plenary/server");
  const { allowHosts, allowCidrs } = allowedIn(env);
  const { origin } = new URL(url);
  const dialler = createDialler({ mode: "local", allowHosts, allowCidrs, exemptOrigins: [origin] });
  const { ask } = createConvenerOverHttp({ dialler, clock: systemClock, ids: systemIds });
  let hasAnswered = false;
  return {
    ...{ convener: { serviceUrl: url }, label: `convener ${url}` },
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
  const remedy = "start it, mend its address, or take one of ours: --convener queue";
  return new FloorError(`the convener at ${url} cannot be asked: ${why}; ${remedy}`);
}

function declinedError(url: string): FloorError {
  const why = "it did not take the chair when it was invited";
  return new FloorError(`the agent at ${url} does not convene: ${why}; name another, or --convener queue`);
}

/** As the floor itself is told whom it may call; what is wrong with the rest of its settings is not asked here. */
function allowedIn(env: Io["env"]): { allowHosts: readonly string[]; allowCidrs: readonly string[] } {
  const { PLENARY_ALLOW_HOSTS, PLENARY_ALLOW_CIDRS } = env;
  const parsed = parseConfiguration({ host: "127.0.0.1" }, { PLENARY_ALLOW_HOSTS, PLENARY_ALLOW_CIDRS });
  return parsed.ok ? parsed.configuration : { allowHosts: [], allowCidrs: [] };
}

/** A ready-made convener in this process, which lives in the time of the record. */
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
    throw new FloorError(
      `no ready-made convener is called ${who}: there are ${known}; give an address to ask another, or none`,
    );
  }
  const saying = (id: string, events: readonly FloorEvent[]) =>
    envelope({ conversation: { id }, sender: self, events: [...events] });
  return {
    ...{ convener: { serviceUrl: self.serviceUrl }, label: `convener ${name}` },
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
