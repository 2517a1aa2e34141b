import type { ConversationView } from "@plenary/client";
import type { DraftStep, Feature, Identification } from "@plenary/protocol";
import type { TranscriptEntry as Entry, Line } from "@plenary/transcript";
import type { Prompt } from "../prompts/read-prompts.ts";
import type { LanguageSetting } from "../texts/texts.ts";

/** State of the connection to the server. */
export type Connection = "loading" | "live" | "reconnecting" | "offline" | "gone";

/** An utterance in progress (D30). */
export type LiveDraft = {
  dialogEventId: string;
  speakerUri: string;
  text: string;
  to?: string;
  isWhisper: boolean;
  /** Steps of the work on it, in order. */
  steps?: readonly DraftStep[];
};

/** An own utterance that is not in the log yet. */
export type Unsent = {
  dialogEventId: string;
  text: string;
  to?: string;
  isWhisper: boolean;
  at: string;
  /** `taken`: the server accepted it, but the log does not show it yet; a convener may hold it back. */
  state: "sending" | "taken" | "waiting" | "refused";
  /** Why it was refused, or why it waits. */
  problem?: string;
};

export type ConversationState = {
  id: string;
  /** SpeakerUri of the reader. */
  me: string;
  connection: Connection;
  /** An error text for people. */
  problem?: string;
  view: ConversationView;
  /** Loaded entries by seq, newest last. */
  entries: readonly Entry[];
  lines: readonly Line[];
  prompts: readonly Prompt[];
  drafts: readonly LiveDraft[];
  /** Agents that have not answered yet. */
  awaited: readonly string[];
  unsent: readonly Unsent[];
  /** Identifications of present and former conversants. */
  identifications: ReadonlyMap<string, Identification>;
  /** There are entries before the first loaded one. */
  hasOlder: boolean;
};

export type SayOptions = {
  /** SpeakerUri of the addressee. */
  to?: string;
  isWhisper?: boolean;
  /** Features beside the text: audio, image, interactionReply ... */
  features?: Readonly<Record<string, Feature>>;
  language?: string;
};

/** Settings of this browser. */
export type Settings = {
  language: LanguageSetting;
  theme: "system" | "light" | "dark";
  /** Single keys are shortcuts outside of text fields. */
  hasSingleKeys: boolean;
  /** Utterances of agents are read aloud. */
  isReadAloud: boolean;
  /** Caption size in em; 0 for none. */
  captionSize: 0 | 1 | 1.5 | 2;
};
