import { exportFormats, nameIn } from "@plenary/transcript";
import { titleOf } from "../page/sidebar.tsx";
import type { CommandContext, OpenConversation, PageHandle, PageServices } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import type { PaletteCommand } from "./command-search.ts";

const conversationsMax = 50;

/** Commands of the page and the open conversation. */
export function commandsOf({ services, opened, page, conversations, goTo }: CommandContext): PaletteCommand[] {
  const group = texts.palette.groups.page;
  const newConversation = { label: texts.common.newConversation, keys: ["n"], run: () => services.open("new") };
  const everywhere: PaletteCommand[] = [
    ...(services.mayHost ? [{ id: "new", group, ...newConversation }] : []),
    { id: "help", label: texts.sidebar.help, keys: ["?"], group, run: () => services.open("help") },
    { id: "settings", label: texts.sidebar.settings, group, run: () => services.open("settings") },
    { id: "dark", label: texts.palette.dark, group, run: () => services.change({ theme: "dark" }) },
    { id: "light", label: texts.palette.light, group, run: () => services.change({ theme: "light" }) },
  ];
  const others = conversations.slice(0, conversationsMax).map(
    (one): PaletteCommand => ({
      id: `go ${one.id}`,
      label: titleOf(one),
      group: texts.palette.groups.conversations,
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
  const group = texts.palette.groups.conversation;
  const others = view.conversants.map(({ identification }) => identification.speakerUri).filter((uri) => uri !== me);
  const isOwner = view.owner === me;
  const ownerCommands = [
    { id: "rename", label: texts.palette.rename, group, run: () => services.open("rename") },
    { id: "convener", label: texts.palette.convener, group, run: () => services.open("convener") },
  ];
  return [
    { id: "compose", label: texts.shortcuts.compose, keys: ["c"], group, run: () => page.compose?.() },
    { id: "invite", label: texts.shortcuts.invite, keys: ["i"], group, run: () => services.open("invite") },
    {
      id: "hand",
      label: texts.conversants.raiseHand,
      hint: "requestFloor",
      keys: ["r"],
      group,
      run: actions.raiseHand,
    },
    { id: "yield", label: texts.shortcuts.yieldFloor, hint: "yieldFloor", keys: ["y"], group, run: actions.yieldFloor },
    { id: "stop", label: texts.shortcuts.stop, keys: ["alt+s"], group, run: actions.stop },
    ...(view.isPaused ? [{ id: "resume", label: texts.palette.resume, group, run: actions.resume }] : []),
    { id: "search", label: texts.head.search, keys: ["f"], group, run: () => services.open("search") },
    { id: "strip", label: texts.shortcuts.floorStrip, keys: ["l"], group, run: () => page.toggleStrip?.() },
    { id: "panel", label: texts.palette.panel, group, run: () => page.togglePanel?.() },
    ...others.map((speakerUri) => ({
      id: `whisper ${speakerUri}`,
      label: texts.palette.whisperTo(nameIn(conversation, speakerUri)),
      group,
      run: () => page.whisper?.(speakerUri),
    })),
    ...exportFormats.map((format) => ({
      id: `export ${format}`,
      label: texts.head.exportAs[format],
      group,
      run: () => actions.download(format),
    })),
    ...(isOwner ? ownerCommands : []),
  ];
}
