import type { Discovery, FloorServerOptions, FloorServerPorts, IssuerDial, Logger, PageFiles } from "@plenary/server";
import { readyMadeAgents } from "../agent/hosted-agents.ts";
import { type Configuration, issuerHosts } from "../config/configuration.ts";
import { lastPort, saveAddress } from "../store/location.ts";
import { loadOrCreateToken, openCredentials, openStore } from "../store/store.ts";
import { createIdentityDial, openTextDialler } from "./diallers.ts";
import { listenProblem } from "./listen-port.ts";

export type OpenFloorOptions = {
  configuration: Configuration;
  /** The store; default: in memory. */
  file?: string;
  /** The operator's token; default: the one beside the store. */
  token?: string;
  /** 0: the port of the last floor on this store if it is free, else any. */
  port: number;
  /** Tried first when `port` is 0 and the store has no last port. */
  preferredPort?: number;
  host: string;
  /** A separate port for health checks. */
  healthPort?: number;
  /** Whether it hosts the ready-made agents. */
  demo: boolean;
  allowOrigins?: readonly string[];
  /** How long an agent may take before it counts as silent. */
  agentTimeoutMs?: number;
  page?: PageFiles;
  version: string;
  /** The log of the floor, of its hosted agents and of what is wrong with its files. */
  logger: Logger;
};

export type OpenFloor = {
  url: string;
  healthUrl?: string;
  token: string;
  agents: readonly string[];
  close: () => Promise<void>;
};

/** Opens a floor in this process. If it cannot listen, returns a problem that says how to fix it. */
export async function openFloor(plan: OpenFloorOptions): Promise<OpenFloor | { problem: string }> {
  const { configuration, file } = plan;
  const { createFloorServer } = await import("@plenary/server");
  const store = await openStore(file);
  const token = await operatorToken(plan);
  const credentials = await openCredentials(file);
  const ways = await openOutboundConnections(configuration);
  const hosted = plan.demo
    ? await readyMadeAgents({
        llm: configuration.llm,
        dialler: ways.ports.dialler,
        textDialler: ways.textDialler,
        onError: (error) => plan.logger.error("a hosted agent failed", { error }),
        isLocal: configuration.mode === "local",
      })
    : undefined;
  const closeWays = async () => {
    await hosted?.close();
    await credentials.close();
    await ways.close();
  };
  const started = createFloorServer(
    {
      store,
      credentials,
      ...ways.ports,
      logger: plan.logger,
      discovery: await openDiscovery(),
      ...(hosted && { hostedAgents: hosted }),
      ...(plan.page && { page: plan.page }),
    },
    {
      ...optionsOf(configuration),
      ...(plan.agentTimeoutMs !== undefined && { deliveryLimits: { silenceMs: plan.agentTimeoutMs } }),
      ...(plan.healthPort !== undefined && { healthPort: plan.healthPort }),
      allowOrigins: plan.allowOrigins ?? [],
      version: plan.version,
      ...(token !== undefined && { token }),
      listen: addressOf(plan),
    },
  );
  const server = await started.catch((cause: unknown) => ({ problem: listenProblem(cause, plan) }));
  if ("problem" in server) {
    await hosted?.settle();
    await closeWays();
    return server;
  }
  const { url, healthUrl } = server;
  if (file !== undefined) saveAddress(file, url);
  return {
    url,
    ...(healthUrl !== undefined && { healthUrl }),
    token: server.token,
    agents: hosted?.names ?? [],
    async close() {
      await hosted?.settle();
      await server.close();
      await closeWays();
    },
  };
}

/** Hosted agents are known by their address, so the floor uses its last port again. */
function addressOf({ file, port, host, preferredPort }: OpenFloorOptions) {
  const wished = (file === undefined ? undefined : lastPort(file)) ?? preferredPort;
  return { port, host, ...(port === 0 && wished !== undefined && { preferredPort: wished }) };
}

async function operatorToken({ token, file, logger }: OpenFloorOptions): Promise<string | undefined> {
  if (token !== undefined || file === undefined) return token;
  const { newToken } = await import("@plenary/server");
  const kept = loadOrCreateToken(file, newToken);
  if (kept.warning !== undefined) logger.warn(kept.warning);
  return kept.token;
}

/** Diallers for agents, for token issuers (also at private addresses), and for texts given by URL. */
async function openOutboundConnections(configuration: Configuration) {
  const { createDialler } = await import("@plenary/sdk");
  const { mode, allowHosts, allowCidrs } = configuration;
  const dialler = createDialler({ mode, allowHosts, allowCidrs });
  const toIssuers = createDialler({ mode, allowHosts: [...allowHosts, ...issuerHosts(configuration)], allowCidrs });
  const identityDial = createIdentityDial(toIssuers);
  const textDialler = await openTextDialler({ allowHosts, allowCidrs });
  return {
    textDialler,
    ports: { dialler, identityDial, ...(await tokensOf(configuration, identityDial)) },
    close: async () => void (await Promise.all([dialler, toIssuers, textDialler].map((one) => one.close()))),
  };
}

async function tokensOf({ jwt }: Configuration, dial: IssuerDial): Promise<Pick<FloorServerPorts, "tokens">> {
  if (jwt === undefined) return {};
  const { createJwtVerifier, systemClock } = await import("@plenary/server");
  return { tokens: createJwtVerifier({ ...jwt, dial, clock: systemClock }) };
}

function optionsOf({ mode, publicUrl, speakerUri, proxies, signIn }: Configuration): FloorServerOptions {
  return {
    // `bindErrors` has already required keys for this.
    allowRemote: mode === "production",
    ...(publicUrl !== undefined && { publicUrl }),
    ...(speakerUri !== undefined && { speakerUri }),
    ...(proxies !== undefined && { proxies }),
    ...(signIn !== undefined && { signIn }),
  };
}

/** A person waits for the result. */
const discoveryTimeouts = { timeoutMs: 6_000, answerMs: 3_000 };

/** The floor's discovery: the SDK's `discover` with the floor's dialler. */
async function openDiscovery(): Promise<Discovery> {
  const { discover } = await import("@plenary/sdk");
  return { discover: (need, means) => discover(need, { ...means, ...discoveryTimeouts }) };
}
