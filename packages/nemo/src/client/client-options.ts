import type { Step } from "../features.ts";
import type { ChatMessage, Credential, SchemaType } from "../messages/client-message.ts";
import type { ServerSaid } from "../messages/parse-server-message.ts";
import type { ServerPrompt } from "../messages/prompt.ts";
import type { NemoError } from "./nemo-error.ts";

/** The way out, as a `Dialler` of the SDK has it. */
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
  /** Rings once, unless it is cancelled by what it returns. */
  after(ms: number, ring: () => void): () => void;
}

/** Every wait and every size has a maximum. */
export type ClientLimits = {
  connectMs: number;
  /** To the answer to `auth_message`. */
  authMs: number;
  /** Between any two messages of a turn that waits for nobody. */
  silenceMs: number;
  /** To the first message after a reconnection: what a run said before it is lost, and maybe it is over. */
  reconnectedMs: number;
  /** A prompt without a time of its own. */
  promptMs: number;
  /** The toolkit waits five minutes for consent. */
  consentMs: number;
  /** After `complete`, where a trace may follow. */
  traceMs: number;
  /** An unused socket is closed. */
  idleMs: number;
  /** Of one turn, all messages together. */
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
  /** Of the upgrade. */
  headers?: Readonly<Record<string, string>>;
  /** Told by `auth_message` whenever a socket was opened. */
  credential?: Credential;
  /** Several people speak through it: after a turn in which one of them answered a prompt, the next is another conversation. */
  isShared?: boolean;
  clock: ClientClock;
  newId: () => string;
  limits?: Partial<ClientLimits>;
};

export type TurnRequest = {
  schemaType: SchemaType;
  messages: readonly ChatMessage[];
  userName?: string;
  /** At the top level of the message, where a workflow finds them. */
  extras?: Readonly<Record<string, unknown>>;
  /** Turns of different threads have different conversation ids, so that a workflow does not remember one in the other. */
  thread?: string;
};

export type ServerTrouble = Extract<ServerSaid, { kind: "error" }>["error"];

export type Happening =
  | { kind: "delta"; text: string }
  | { kind: "step"; step: Step }
  /** `number`: which of the turn, for `answer`. */
  | { kind: "prompt"; number: number; prompt: ServerPrompt }
  | { kind: "notification"; text: string }
  | { kind: "consent"; url: string }
  | { kind: "error"; error: ServerTrouble }
  | { kind: "trace"; traceId: string }
  /** The turn came to its end, */
  | { kind: "end" }
  /** or it did not. */
  | { kind: "broken"; error: NemoError };
