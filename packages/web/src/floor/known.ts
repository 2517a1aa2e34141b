import { nameOf } from "@plenary/transcript";
import type { ConversationView, KnownAgent } from "../wire/types.ts";

/** What is known of the agents that this floor knows. */
export type Known =
  | { state: "loading" }
  | { state: "known"; agents: readonly KnownAgent[] }
  | { state: "failed"; problem: string };

export type Candidate = { serviceUrl: string; name: string; synopsis: string; isHere: boolean; agent: KnownAgent };

/** Those whose name, address or synopsis has all the words; those that are here first, then those that answer, conveners last. */
export function candidatesOf(agents: readonly KnownAgent[], view: ConversationView, query: string): Candidate[] {
  const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
  const here = new Set(
    view.conversants.flatMap(({ identification: { speakerUri, serviceUrl } }) => [speakerUri, serviceUrl]),
  );
  const candidates = agents.map((agent) => {
    const { serviceUrl, manifest } = agent;
    const identification = manifest?.identification;
    const speakerUri = identification?.speakerUri ?? serviceUrl;
    const isHere = here.has(serviceUrl) || here.has(speakerUri);
    return {
      serviceUrl,
      agent,
      isHere,
      name: identification ? nameOf(speakerUri, identification) : hostOf(serviceUrl),
      synopsis: identification?.synopsis ?? "",
    };
  });
  const found = candidates.filter(({ name, synopsis, serviceUrl }) => {
    const text = `${name} ${synopsis} ${serviceUrl}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return found.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** How it was when it was last heard of, or why it was not. */
export function healthWords({ health, latencyMs, trouble }: KnownAgent): string {
  if (health !== "answering")
    return `${health === "silent" ? "does not answer" : "answers wrongly"}${trouble ? `: ${trouble.detail}` : ""}`;
  if (latencyMs === undefined) return "answers";
  const { p50 } = latencyMs;
  return `answers in ${p50 < 1000 ? `${p50} ms` : `${(p50 / 1000).toFixed(1)} s`}`;
}

/** Of an agent that has not told its name yet. */
function hostOf(serviceUrl: string): string {
  return URL.canParse(serviceUrl) ? new URL(serviceUrl).host : serviceUrl;
}

/** Who offers to chair is rarely invited to talk. */
function rank({ agent }: Candidate): number {
  if (agent.manifest?.identification.openFloorRoles?.convener === true) return 4;
  return (agent.isHosted || agent.isConnected ? 0 : 2) + (agent.health === "answering" ? 0 : 1);
}

export type Address = { ok: true; url: string } | { ok: false; remedy: string };

/** What a person typed as the address of an agent, or what to change in it. */
export function parseAddress(typed: string): Address {
  const text = typed.trim();
  if (text === "")
    return { ok: false, remedy: "Type the address at which the agent listens, like https://agent.example/openfloor." };
  if (/\s/u.test(text)) return { ok: false, remedy: "An address has no spaces. Please remove them." };
  if (!/^[a-z][a-z0-9+.-]*:/iu.test(text) || /^[^:/]+:\d/u.test(text)) {
    return { ok: false, remedy: `Begin with https:// – did you mean https://${text}?` };
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { ok: false, remedy: "This is not a whole address. It looks like https://agent.example/openfloor." };
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return {
      ok: false,
      remedy: "Agents are reached by https:// (or http:// on this machine). Names like tag:… are no addresses.",
    };
  }
  if (url.username !== "" || url.password !== "") {
    return { ok: false, remedy: "Leave out the name and password before the @." };
  }
  return { ok: true, url: text };
}
