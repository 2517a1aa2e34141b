import { errorText } from "../api/floor.ts";
import { focusUtterance, useShortcuts } from "../keyboard/shortcuts.ts";
import type { CommandContext } from "../state/context.ts";
import { texts } from "../texts/texts.ts";

type Options = CommandContext & { current: string | undefined };

export function usePageShortcuts({ services, opened, page, conversations, current, goTo }: Options): void {
  const attempt = (run: (() => Promise<void>) | undefined, done?: string) => {
    run?.().then(
      () => done !== undefined && services.announce(done),
      (error: unknown) => services.toast(errorText(error), "error"),
    );
  };
  const move = (delta: number) => {
    const next = conversations[conversations.findIndex(({ id }) => id === current) + delta];
    if (next !== undefined) goTo(next.id);
  };
  const inConversation = opened && {
    compose: () => page.compose?.(),
    whisper: () => page.whisper?.(),
    raiseHand: () => attempt(opened.actions.raiseHand),
    yieldFloor: () => attempt(opened.actions.yieldFloor),
    stop: () => attempt(opened.actions.stop, texts.announcements.stopped),
    invite: () => services.open("invite"),
    search: () => services.open("search"),
    floorStrip: () => page.toggleStrip?.(),
    previousUtterance: () => focusUtterance(-1),
    nextUtterance: () => focusUtterance(1),
  };
  useShortcuts(
    {
      palette: () => services.open("palette"),
      help: () => services.open("help"),
      new: () => services.open("new"),
      nextConversation: () => move(1),
      previousConversation: () => move(-1),
      ...inConversation,
    },
    services.settings,
  );
}
