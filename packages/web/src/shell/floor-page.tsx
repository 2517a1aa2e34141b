import { lazy, Suspense, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Announcer } from "../desk/announcer.tsx";
import { Toasts } from "../desk/toasts.tsx";
import { useAnnouncements } from "../desk/use-announcements.ts";
import { DeskContext, type Scene, SceneContext } from "../state/context.ts";
import { createConversationList } from "../state/conversation-list.ts";
import { go, usePlace } from "../state/place.ts";
import { type Opening, useConversation, useOpenScene } from "../state/use-conversation.ts";
import { problemText } from "../wire/client.ts";
import { forgetPerson } from "../wire/keeping.ts";
import { clientOf, type Pass } from "../wire/pass.ts";
import { ConversationPage } from "./conversation-page.tsx";
import { Empty } from "./empty.tsx";
import type { PageHandle } from "./page-handle.ts";
import { Sidebar } from "./sidebar.tsx";
import { useDeskOfPage } from "./use-desk-of-page.ts";
import { useFirstConversation, useListThatFollows } from "./use-first-conversation.ts";
import { usePageShortcuts } from "./use-page-shortcuts.ts";
import { Waiting } from "./waiting.tsx";

// Not needed for the first sight of the page; there before somebody asks, and when the floor is away.
const loadDialogs = () => import("./dialogs.tsx");
const dialogsAfterMs = 1_000;
const Dialogs = lazy(async () => ({ default: (await loadDialogs()).Dialogs }));

type Props = { pass: Pass; onChange: (pass: Pass) => void; onLeave: (problem?: string) => void };

/** Everything for somebody who is in: its conversations at the side, one of them open. */
export function FloorPage({ pass, onChange, onLeave }: Props) {
  const leaving = useRef(onLeave);
  leaving.current = onLeave;
  const client = useMemo(() => clientOf(pass, (problem) => leaving.current(problem.message)), [pass]);
  const list = useMemo(() => createConversationList(client, pass), [client, pass]);
  const listState = useSyncExternalStore(list.subscribe, list.get);
  const onDesk = useDeskOfPage({ mayHost: pass.conversation === undefined });
  const { desk } = onDesk;
  const place = usePlace();
  const id = pass.conversation ?? place.conversation;
  const [opening, reopen] = useConversation(client, id, pass.speakerUri);
  const scene = useOpenScene(opening);
  const [isMenuOpen, setMenuOpen] = useState(false);
  useFirstConversation({ pass, list, client, onProblem: (error) => desk.toast(problemText(error), "error") });
  useAnnouncements(scene?.conversation, onDesk.announcer.announce);
  useEffect(() => {
    setTimeout(() => void loadDialogs().catch(() => undefined), dialogsAfterMs); // asked for again when one is opened
  }, []);
  useListThatFollows(list.refresh, scene?.conversation.view);
  const page = useRef<PageHandle>({});
  const isGuest = pass.conversation !== undefined;
  const toggleMenu = () => setMenuOpen(!isMenuOpen);
  const goTo = (conversation: string) => {
    setMenuOpen(false);
    go({ conversation });
  };
  usePageShortcuts({
    desk,
    scene,
    page: page.current,
    conversations: listState.conversations ?? [],
    current: id,
    goTo,
  });
  const signOut = () => {
    // Whoever is away cannot tell the floor; its credential then ends by itself.
    (pass.token === undefined ? client.post("/logout") : client.remove("/api/v1/sessions")).catch(() => undefined);
    forgetPerson(pass.speakerUri);
    onLeave();
  };
  return (
    <DeskContext value={desk}>
      <SceneContext value={scene}>
        <div className={["floor-page", isMenuOpen && "menu-open"].filter(Boolean).join(" ")}>
          <Sidebar
            {...{ list: listState, current: id, me: pass, onGo: goTo }}
            isGuest={isGuest}
            onNew={() => desk.open("new")}
            onSettings={() => desk.open("settings")}
            onHelp={() => desk.open("help")}
            onRetry={() => void list.refresh()}
          />
          <button type="button" className="veil" aria-label="Close the list" onClick={() => setMenuOpen(false)} />
          <Stage
            {...{ opening, scene, page: page.current, wantedSeq: place.seq, reopen, onLeave, isGuest }}
            onMenu={toggleMenu}
          />
          <Suspense>
            <Dialogs
              dialog={onDesk.dialog}
              onClose={onDesk.closeDialog}
              {...{ list, pass, page: page.current, goTo, onChange, signOut }}
              conversations={listState.conversations ?? []}
            />
          </Suspense>
          <Toasts toasts={onDesk.toasts} dismiss={onDesk.dismiss} />
          <Announcer announcer={onDesk.announcer} />
        </div>
      </SceneContext>
    </DeskContext>
  );
}

type StageProps = {
  opening: Opening;
  scene: Scene | undefined;
  page: PageHandle;
  wantedSeq: number | undefined;
  isGuest: boolean;
  reopen: () => void;
  onLeave: (problem?: string) => void;
  onMenu: () => void;
};

/** The open conversation, or why there is none. */
function Stage({ opening, scene, page, wantedSeq, isGuest, reopen, onLeave, onMenu }: StageProps) {
  if (scene !== undefined) return <ConversationPage key={scene.conversation.id} {...{ page, wantedSeq, onMenu }} />;
  return (
    <main className="stage-empty">
      {opening.kind === "failed" ? (
        <Empty onAgain={reopen} {...{ opening, isGuest, onLeave, onMenu }} />
      ) : (
        <Waiting>{opening.kind === "loading" ? "Opening the conversation" : "Getting ready"}</Waiting>
      )}
    </main>
  );
}
