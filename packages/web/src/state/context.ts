import { createContext, useContext } from "react";
import type { Actions, ConversationState, Settings } from "./types.ts";

/** The open conversation, for everything on the page that shows or does something in it. */
export type OpenConversation = { conversation: ConversationState; actions: Actions };

export const OpenConversationContext = createContext<OpenConversation | undefined>(undefined);

export function useOpenConversation(): OpenConversation {
  const opened = useContext(OpenConversationContext);
  if (opened === undefined) throw new Error("this belongs inside an open conversation");
  return opened;
}

/** What the whole page shares, whatever it shows. */
export type PageServices = {
  /** May begin conversations; a guest may not. */
  mayHost: boolean;
  settings: Settings;
  change(settings: Partial<Settings>): void;
  /** The one voice for screen readers: sentences, one after the other, without haste. */
  announce(sentence: string): void;
  /** A short word to everyone: it worked, or it did not. */
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
