import { randomUUID } from "node:crypto";
import type { Agent } from "@plenary/sdk";
import type { FloorStore } from "@plenary/server";
import { parseConfiguration } from "../config/configuration.ts";
import { type ConfigError, configErrorText } from "../errors.ts";
import type { Io } from "../io.ts";
import { httpUrlOf } from "../options.ts";
import { memory, storeFile } from "../store/location.ts";
import { openStore } from "../store/store.ts";
import { type AgentIdentity, agentIdentity } from "./identity.ts";

/** The command's options. */
export type DiscoveryAgentOptions = { store?: string; agents?: string[]; consult?: string[]; favorite?: string };

type CreatedDiscovery = { agent: Agent; close: () => Promise<void>; port: number } | { problems: string[] };
type ListenChoice = { host: string; port: number; speaker?: string };

/** A stand-alone discovery agent. It stores known agents in `--store` and may dial what a floor here may dial. */
export async function createDiscoveryAgent(
  wishes: DiscoveryAgentOptions & ListenChoice,
  io: Io,
  onError: (error: unknown) => void,
): Promise<CreatedDiscovery> {
  const { store: named = memory, agents = [], consult = [], favorite } = wishes;
  const chosen = { agents, consult, favorite: favorite === undefined ? [] : [favorite] };
  const strange = Object.entries(chosen).flatMap(([option, urls]) => urls.flatMap((url) => urlErrors(option, url)));
  const parsed = parseConfiguration(wishes, io.env);
  const errors = [...strange, ...(parsed.ok ? [] : parsed.errors)];
  if (errors.length > 0 || !parsed.ok) return { problems: errors.map(configErrorText) };
  const { mode, allowHosts, allowCidrs } = parsed.configuration;
  const [ready, sdk] = await Promise.all([import("@plenary/agents"), import("@plenary/sdk")]);
  const file = storeFile(named, io);
  const store = await openStore(file);
  await store.ready();
  const { name, port } = await identityOf(store, file, wishes, io);
  const exemptUrls = Object.values(chosen).flat();
  const dialler = sdk.createDialler({ mode, allowHosts, allowCidrs, exemptUrls });
  const agent = ready.createDiscovery({
    ...name,
    agents,
    consult,
    dialler,
    onError,
    catalogue: store.catalogue,
    ...(favorite !== undefined && { favorite }),
  });
  const close = async () => {
    await agent.close();
    await store.close();
    await dialler.close();
  };
  return { agent, close, port };
}

/** Two discovery agents need different speakerUris: from the store, else from the port. */
async function identityOf(
  { settings }: Pick<FloorStore, "settings">,
  file: string | undefined,
  place: ListenChoice,
  io: Io,
): Promise<AgentIdentity> {
  const uriOf = (specific: string) => `tag:localhost,2025:${specific}`;
  if (file === undefined || place.speaker !== undefined) return agentIdentity(uriOf("discovery"), place, io);
  const speaker = await settings.keep("discoverySpeakerUri", uriOf(`discovery:${randomUUID()}`));
  return agentIdentity(speaker, { port: place.port, speaker }, io);
}

function urlErrors(option: string, text: string): ConfigError[] {
  if (httpUrlOf(text) !== undefined) return [];
  const problem = "has a value that is not an http or https URL";
  return [{ name: `--${option}`, problem, fix: "give a full URL, such as http://127.0.0.1:8080" }];
}
