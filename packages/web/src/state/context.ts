import type { ConversationSummary } from "@plenary/client";
import { createContext, useContext } from "react";
import type { Actions } from "./actions.ts";
import type { ConversationState, Settings } from "./types.ts";

/** The open conversation and its actions. */
export type OpenConversation = { conversation: ConversationState; actions: Actions };

export const OpenConversationContext = createContext<OpenConversation | undefined>(undefined);

export function useOpenConversation(): OpenConversation {
  const opened = useContext(OpenConversationContext);
  if (opened === undefined) throw new Error("this belongs inside an open conversation");
  return opened;
}

/** Services that all parts of the page share. */
export type PageServices = {
  /** Guests cannot start conversations. */
  mayHost: boolean;
  /** The floor's time: deadlines are in it. */
  floorNowMs(): number;
  settings: Settings;
  change(settings: Partial<Settings>): void;
  /** Announces a sentence to screen readers, one after the other. */
  announce(sentence: string): void;
  /** Shows a short notice. */
  toast(text: string, tone?: "quiet" | "error"): void;
  /** Opens a dialog by its name. */
  open(dialog: DialogName): void;
};

export type DialogName =
  | "palette"
  | "help"
  | "invite"
  | "settings"
  | "rename"
  | "new"
  | "search"
  | "links"
  | "convener";

export const PageServicesContext = createContext<PageServices | undefined>(undefined);

export function usePageServices(): PageServices {
  const services = useContext(PageServicesContext);
  if (services === undefined) throw new Error("this belongs on the page");
  return services;
}

/** Actions of the open conversation for shortcuts and commands. */
export type PageHandle = {
  compose?: () => void;
  whisper?: (speakerUri?: string) => void;
  jump?: (seq: number) => void;
  toggleStrip?: () => void;
  togglePanel?: () => void;
};

/** What shortcuts and commands of the page work with. */
export type CommandContext = {
  services: PageServices;
  opened: OpenConversation | undefined;
  page: PageHandle;
  conversations: readonly ConversationSummary[];
  goTo: (id: string) => void;
};
