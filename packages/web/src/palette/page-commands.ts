import { exportFormats, exportKinds, nameIn } from "@plenary/transcript";
import type { ConversationSummary } from "../api/types.ts";
import type { PageHandle } from "../page/page-handle.ts";
import { titleOf } from "../page/sidebar.tsx";
import type { OpenConversation, PageServices } from "../state/context.ts";
import type { PaletteCommand } from "./command-search.ts";

type Options = {
  services: PageServices;
  opened: OpenConversation | undefined;
  page: PageHandle;
  conversations: readonly ConversationSummary[];
  goTo: (id: string) => void;
};

const conversationsMax = 50;

/** Commands of the page and the open conversation. */
export function commandsOf({ services, opened, page, conversations, goTo }: Options): PaletteCommand[] {
  const everywhere: PaletteCommand[] = [
    ...(!services.mayHost
      ? []
      : [{ id: "new", label: "New conversation", keys: ["n"], group: "Page", run: () => services.open("new") }]),
    { id: "help", label: "Help and keys", keys: ["?"], group: "Page", run: () => services.open("help") },
    { id: "settings", label: "Settings", group: "Page", run: () => services.open("settings") },
    { id: "dark", label: "Dark theme", group: "Page", run: () => services.change({ theme: "dark" }) },
    { id: "light", label: "Light theme", group: "Page", run: () => services.change({ theme: "light" }) },
  ];
  const others = conversations.slice(0, conversationsMax).map(
    (one): PaletteCommand => ({
      id: `go ${one.id}`,
      label: titleOf(one),
      group: "Conversations",
      run: () => goTo(one.id),
    }),
  );
  return [...(opened === undefined ? [] : conversationCommands(opened, services, page)), ...everywhere, ...others];
}

function conversationCommands(
  { conversation, actions }: OpenConversation,
  services: PageServices,
  page: PageHandle,
): PaletteCommand[] {
  const { view, me } = conversation;
  const group = "This conversation";
  const others = view.conversants.map(({ identification }) => identification.speakerUri).filter((uri) => uri !== me);
  const isOwner = view.owner === me;
  return [
    { id: "compose", label: "Write", keys: ["c"], group, run: () => page.compose?.() },
    { id: "invite", label: "Invite somebody", keys: ["i"], group, run: () => services.open("invite") },
    { id: "hand", label: "Raise hand", hint: "requestFloor", keys: ["r"], group, run: actions.raiseHand },
    { id: "yield", label: "Yield the floor", hint: "yieldFloor", keys: ["y"], group, run: actions.yieldFloor },
    { id: "stop", label: "Stop the agents", keys: ["alt+s"], group, run: actions.stop },
    ...(view.isPaused ? [{ id: "resume", label: "Let the agents go on", group, run: actions.resume }] : []),
    { id: "search", label: "Search in this conversation", keys: ["f"], group, run: () => services.open("search") },
    { id: "strip", label: "Show or hide the floor strip", keys: ["l"], group, run: () => page.toggleStrip?.() },
    { id: "panel", label: "Show or hide who is here", group, run: () => page.togglePanel?.() },
    ...others.map((speakerUri) => ({
      id: `whisper ${speakerUri}`,
      label: `Whisper to ${nameIn(conversation, speakerUri)}`,
      group,
      run: () => page.whisper?.(speakerUri),
    })),
    ...exportFormats.map((format) => ({
      id: `export ${format}`,
      label: `Export as ${exportKinds[format].title}`,
      group,
      run: () => actions.download(format),
    })),
    ...(isOwner
      ? [{ id: "rename", label: "Rename this conversation", group, run: () => services.open("rename") }]
      : []),
    ...(isOwner ? [{ id: "convener", label: "Choose the convener", group, run: () => services.open("convener") }] : []),
  ];
}
