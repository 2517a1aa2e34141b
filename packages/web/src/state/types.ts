import type { DraftStep, Feature } from "@plenary/protocol";
import type { ExportFormat, Line } from "@plenary/transcript";
import type { ConversationView, DiscoveryResult, Entry, GuestLink, Identification, KnownAgent } from "../api/types.ts";
import type { Prompt } from "../prompts/read-prompts.ts";

/** How the page stands to the floor. */
export type Connection = "loading" | "live" | "reconnecting" | "offline" | "gone";

/** What somebody is composing right now. */
export type LiveDraft = {
  dialogEventId: string;
  speakerUri: string;
  text: string;
  to?: string;
  isWhisper: boolean;
  /** What it does on the way, the first first. */
  steps?: readonly DraftStep[];
};

/** Said here, and not yet seen in the log. */
export type Unsent = {
  dialogEventId: string;
  text: string;
  to?: string;
  isWhisper: boolean;
  at: string;
  /** `taken`: the floor has it, and the log does not show it yet; it may be with the convener. */
  state: "sending" | "taken" | "waiting" | "refused";
  /** Why it was refused, or why it waits. */
  problem?: string;
};

export type ConversationState = {
  id: string;
  /** The speakerUri of whoever looks at this page. */
  me: string;
  connection: Connection;
  /** What went wrong, in words for a person. */
  problem?: string;
  view: ConversationView;
  /** Everything loaded so far, by seq; the newest is last. */
  entries: readonly Entry[];
  lines: readonly Line[];
  prompts: readonly Prompt[];
  drafts: readonly LiveDraft[];
  /** Agents that were sent something and have not answered it yet. */
  awaited: readonly string[];
  unsent: readonly Unsent[];
  /** Names of all who are or were here, as far as is known. */
  identifications: ReadonlyMap<string, Identification>;
  /** There is more before the first of `entries`. */
  hasOlder: boolean;
};

export type SayOptions = {
  /** The speakerUri it is addressed to. */
  to?: string;
  isWhisper?: boolean;
  /** Beside the text: audio, image, interactionReply ... */
  features?: Readonly<Record<string, Feature>>;
  language?: string;
};

/** What a person can do here. Each rejects with an Error whose message is for people. */
export type Actions = {
  say(text: string, options?: SayOptions): Promise<void>;
  /** Tries again what could not be sent, or takes it away. */
  retry(dialogEventId: string): Promise<void>;
  discard(dialogEventId: string): void;
  raiseHand(): Promise<void>;
  yieldFloor(): Promise<void>;
  grant(speakerUri: string): Promise<void>;
  revoke(speakerUri: string, reason?: string): Promise<void>;
  /** With a request, that is said to it in the same envelope. */
  invite(serviceUrl: string, as?: { speakerUri?: string; request?: string }): Promise<void>;
  uninvite(speakerUri: string, reason?: string): Promise<void>;
  /** Nobody when undefined. */
  appointConvener(named: { speakerUri: string } | { serviceUrl: string } | undefined): Promise<void>;
  /** Lets an agent answer from its new address, or leaves it out. */
  answerMove(speakerUri: string, allow: boolean): Promise<void>;
  /** A role beside owner and convener. */
  changeRole(role: string, speakerUri: string, isAssigned: boolean): Promise<void>;
  stop(): Promise<void>;
  resume(): Promise<void>;
  rename(title: string): Promise<void>;
  leave(): Promise<void>;
  close(): Promise<void>;
  download(format: ExportFormat): Promise<void>;
  makeGuestLink(options: { label?: string; uses?: number; expiresInS?: number }): Promise<{ id: string; link: string }>;
  guestLinks(): Promise<readonly GuestLink[]>;
  withdrawGuestLink(id: string): Promise<void>;
  knownAgents(): Promise<readonly KnownAgent[]>;
  /** Whom discovery agents recommend for this. */
  discover(text: string): Promise<DiscoveryResult>;
  loadOlder(): Promise<void>;
};

/** What the person set for this browser. */
export type Settings = {
  theme: "system" | "light" | "dark";
  /** Keys without Ctrl or Alt do something outside of text fields. */
  hasSingleKeys: boolean;
  /** Agents are read aloud, one after the other. */
  isReadAloud: boolean;
  /** Captions of what is being said, in em; 0 for none. */
  captionSize: 0 | 1 | 1.5 | 2;
};
