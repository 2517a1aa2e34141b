import type { FloorOptions } from "@plenary/floor";
import type { HostedAgents } from "./agents/hosted.ts";
import type { TokenVerifier } from "./auth/authenticate.ts";
import type { IssuerDial } from "./auth/issuer-dialler.ts";
import type { DeliveryLimits, LoadLimits, QueueLimits, RateLimits, RequestLimits, WebhookLimits } from "./limits.ts";
import type { Clock, Ids } from "./ports/clock.ts";
import type { CredentialStore } from "./ports/credentials.ts";
import type { Dialler } from "./ports/dialler.ts";
import type { Discovery } from "./ports/discovery.ts";
import type { Logger } from "./ports/logger.ts";
import type { Outbound } from "./ports/outbound.ts";
import type { PageFiles } from "./ports/page-files.ts";
import type { FloorStore } from "./ports/store.ts";
import type { StreamOptions } from "./streams/streams.ts";

export type FloorServerPorts = {
  store: FloorStore;
  dialler: Dialler;
  /** Credentials beside the operator's token; none when not given. */
  credentials?: CredentialStore;
  /** Verifies bearer tokens of other issuers. */
  tokens?: TokenVerifier;
  /** HTTP client for the issuer of `signIn`. */
  identityDial?: IssuerDial;
  clock?: Clock;
  ids?: Ids;
  /** The server log; by default level info and above on standard error. */
  logger?: Logger;
  /** Tried before HTTP. */
  outbounds?: readonly Outbound[];
  hostedAgents?: HostedAgents;
  /** Finds agents; there is no discovery when not given. */
  discovery?: Discovery;
  /** The web page at `/`, and the API reference at `/docs/api`. */
  page?: PageFiles;
};

export type ListenAddress = {
  /** 0: any free one. */
  port: number;
  /** 127.0.0.1 when not given. */
  host?: string;
  /** Tried before `port`. */
  preferredPort?: number;
};

export type FloorServerOptions = {
  /** The operator's bearer token; random when not given. */
  token?: string;
  /** The floor's speakerUri; stored at the first start. Without it a unique one is created (D39). */
  speakerUri?: string;
  /** The external address of this floor; the listen address when not given. */
  publicUrl?: string;
  allowHosts?: readonly string[];
  allowOrigins?: readonly string[];
  /**
   * People sign in with this OpenID provider; needs `identityDial`. `allow` lists the allowed users as `*`, an address,
   * `@domain` or `sub:...`; every user of the issuer when not given.
   */
  signIn?: { issuer: string; clientId: string; clientSecret?: string; allow?: readonly string[] };
  /** Number of trusted proxies in front of this floor; their X-Forwarded-For is used. */
  proxies?: number;
  /** `/livez` and `/readyz` also answer on this port; 0: any free one. */
  healthPort?: number;
  /** Where it listens; without it, only `fetch` serves requests. */
  listen?: ListenAddress;
  /** Allows addresses other than loopback in `listen`. */
  allowRemote?: boolean;
  floorOptions?: Partial<FloorOptions>;
  deliveryLimits?: Partial<DeliveryLimits>;
  queueLimits?: Partial<QueueLimits>;
  loadLimits?: Partial<LoadLimits>;
  rateLimits?: Partial<RateLimits>;
  webhookLimits?: Partial<WebhookLimits>;
  bodyBytesMax?: number;
  requestLimits?: Partial<RequestLimits>;
  streams?: StreamOptions;
  /** Time for deliveries in flight when the floor closes. */
  drainMs?: number;
  version?: string;
};
