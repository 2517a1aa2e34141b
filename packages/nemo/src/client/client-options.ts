import type { Step } from "../features.ts";
import type { ChatMessage, Credential, SchemaType } from "../messages/client-message.ts";
import type { ParsedServerMessage } from "../messages/parse-server-message.ts";
import type { ServerPrompt } from "../messages/prompt.ts";
import type { NemoError } from "./nemo-error.ts";

/** Opens WebSockets. A `Dialler` of the SDK has this method. */
export interface SocketDialler {
  dialSocket(request: {
    url: string;
    headers?: Readonly<Record<string, string>>;
    connectMs?: number;
    onText: (text: string) => void;
    onClose: (code: number, reason: string) => void;
  }): Promise<DialledSocket>;
}

type DialledSocket = { send(text: string): boolean; close(code?: number, reason?: string): void };

export interface ClientClock {
  now(): number;
  /** Calls `ring` once. The returned function cancels it. */
  after(ms: number, ring: () => void): () => void;
}

/** Every wait and every size has a maximum. */
export type ClientLimits = {
  connectMs: number;
  /** Wait for the answer to `auth_message`. */
  authMs: number;
  /** Maximum silence between two messages, while no prompt is open. */
  silenceMs: number;
  /** Wait for the first message after a reconnection: messages in between are lost, and the run may have ended. */
  reconnectedMs: number;
  /** Time for a prompt without a timeout of its own. */
  promptMs: number;
  /** Time for consent. The toolkit waits five minutes. */
  consentMs: number;
  /** Wait for a trace after `complete`. */
  traceMs: number;
  /** An unused socket closes after this time. */
  idleMs: number;
  /** Of all messages of one run. */
  turnCharsMax: number;
};

export const clientLimits: ClientLimits = {
  connectMs: 5_000,
  authMs: 5_000,
  silenceMs: 120_000,
  reconnectedMs: 30_000,
  promptMs: 600_000,
  consentMs: 330_000,
  traceMs: 200,
  idleMs: 300_000,
  turnCharsMax: 8_388_608,
};

export type NemoClientOptions = SocketDialler & {
  /** ws: or wss: */
  url: string;
  /** Headers of the upgrade request. */
  headers?: Readonly<Record<string, string>>;
  /** Sent in an `auth_message` on every new socket. */
  credential?: Credential;
  /** Several people use this client: after a run with an answered prompt, the next run gets a new conversation id. */
  isShared?: boolean;
  clock: ClientClock;
  newId: () => string;
  limits?: Partial<ClientLimits>;
};

export type RunRequest = {
  schemaType: SchemaType;
  messages: readonly ChatMessage[];
  userName?: string;
  /** Additional keys at the top level of the message, for the workflow. */
  extras?: Readonly<Record<string, unknown>>;
  /** Runs of different threads have different conversation ids, so that a workflow does not mix their memory. */
  thread?: string;
};

export type ServerError = Extract<ParsedServerMessage, { kind: "error" }>["error"];

export type RunEvent =
  | { kind: "delta"; text: string }
  | { kind: "step"; step: Step }
  /** `number` identifies the prompt for `answer`. */
  | { kind: "prompt"; number: number; prompt: ServerPrompt }
  | { kind: "notification"; text: string }
  | { kind: "consent"; url: string }
  | { kind: "error"; error: ServerError }
  | { kind: "trace"; traceId: string }
  /** The run is complete. */
  | { kind: "end" }
  /** The run failed. */
  | { kind: "broken"; error: NemoError };
