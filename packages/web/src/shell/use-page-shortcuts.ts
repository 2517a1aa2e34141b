import { focusUtterance, useShortcuts } from "../desk/shortcuts.ts";
import type { Desk, Scene } from "../state/context.ts";
import { problemText } from "../wire/client.ts";
import type { Summary } from "../wire/types.ts";
import type { PageHandle } from "./page-handle.ts";

type Options = {
  desk: Desk;
  scene: Scene | undefined;
  page: PageHandle;
  conversations: readonly Summary[];
  current: string | undefined;
  goTo: (id: string) => void;
};

export function usePageShortcuts({ desk, scene, page, conversations, current, goTo }: Options): void {
  const attempt = (run: (() => Promise<void>) | undefined, done?: string) => {
    run?.().then(
      () => done !== undefined && desk.announce(done),
      (error: unknown) => desk.toast(problemText(error), "error"),
    );
  };
  const move = (delta: number) => {
    const next = conversations[conversations.findIndex(({ id }) => id === current) + delta];
    if (next !== undefined) goTo(next.id);
  };
  const inConversation = scene && {
    compose: () => page.compose?.(),
    whisper: () => page.whisper?.(),
    raiseHand: () => attempt(scene.actions.raiseHand),
    yieldFloor: () => attempt(scene.actions.yieldFloor),
    stop: () => attempt(scene.actions.stop, "Stopped"),
    invite: () => desk.open("invite"),
    search: () => desk.open("search"),
    floorStrip: () => page.toggleStrip?.(),
    previousUtterance: () => focusUtterance(-1),
    nextUtterance: () => focusUtterance(1),
  };
  useShortcuts(
    {
      palette: () => desk.open("palette"),
      help: () => desk.open("help"),
      new: () => desk.open("new"),
      nextConversation: () => move(1),
      previousConversation: () => move(-1),
      ...inConversation,
    },
    desk.settings,
  );
}
