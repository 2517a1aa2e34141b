import type { LiveSnapshot } from "@plenary/client";
import type { Feature } from "@plenary/protocol";
import type { TranscriptEntry } from "@plenary/transcript";
import type { Prompt } from "../prompts/read-prompts.ts";
import type { LanguageSetting } from "../texts/texts.ts";

/** State of the connection to the server. */
export type Connection = LiveSnapshot["connection"] | "offline";

/** The client's live state of a conversation, and what the page reads in it. */
export type ConversationState = Omit<LiveSnapshot, "connection" | "problem" | "questions" | "entries"> & {
  connection: Connection;
  /** Why it is gone: a text for people. */
  problem?: string;
  /** Loaded entries by seq, newest last. */
  entries: readonly TranscriptEntry[];
  prompts: readonly Prompt[];
  /** Agents that have not answered yet. */
  awaited: readonly string[];
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
