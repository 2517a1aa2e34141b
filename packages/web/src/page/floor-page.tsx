import type { Floor } from "@plenary/client";
import {
  lazy,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { LiveRegion, useAnnouncements } from "../a11y/announcements.tsx";
import { createAnnouncer } from "../a11y/create-announcer.ts";
import { errorText, visitorClient } from "../api/floor.ts";
import type { Session } from "../api/session.ts";
import { useSettings } from "../settings/settings.ts";
import {
  type DialogName,
  OpenConversationContext,
  type PageHandle,
  type PageServices,
  PageServicesContext,
  usePageServices,
} from "../state/context.ts";
import { createConversationList } from "../state/conversation-list.ts";
import { navigate, usePageLocation } from "../state/location.ts";
import { clearPersonalData } from "../state/storage.ts";
import { type OpeningState, useConversation, useFloor } from "../state/use-conversation.ts";
import { texts } from "../texts/texts.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Toasts, useToasts } from "../ui/toasts.tsx";
import { ConversationPage } from "./conversation-page.tsx";
import { Sidebar } from "./sidebar.tsx";
import { useFirstConversation, useRefreshedList } from "./use-first-conversation.ts";
import { usePageShortcuts } from "./use-page-shortcuts.ts";

// Not part of the first load, but loaded soon after, so that dialogs open when the server is away.
const loadDialogs = () => import("../dialogs/dialogs.tsx");
const dialogsAfterMs = 1_000;
const Dialogs = lazy(async () => ({ default: (await loadDialogs()).Dialogs }));

type Props = { session: Session; onChange: (session: Session) => void; onLeave: (problem?: string) => void };

/** The page of a signed-in person. */
export function FloorPage(props: Props) {
  const { session, onLeave } = props;
  const leaving = useRef(onLeave);
  leaving.current = onLeave;
  const floor = useFloor(session, (problem) => leaving.current(problem.message));
  return floor === undefined ? <Loading>{texts.page.opening}</Loading> : <Conversations {...props} floor={floor} />;
}

/** Conversations at the side, one of them open. */
function Conversations({ floor, session, onChange, onLeave }: Props & { floor: Floor }) {
  const list = useMemo(() => createConversationList(floor), [floor]);
  const listState = useSyncExternalStore(list.subscribe, list.get);
  const created = useCreatePageServices(floor);
  const { services } = created;
  const pageLocation = usePageLocation();
  const id = session.conversation ?? pageLocation.conversation;
  const [opening, reopen] = useConversation(floor, id);
  const opened = opening.kind === "open" ? opening.opened : undefined;
  const [isMenuOpen, setMenuOpen] = useState(false);
  useFirstConversation({ session, list, onProblem: (error) => services.toast(errorText(error), "error") });
  useAnnouncements(opened?.conversation, created.announcer.announce);
  usePreloadedDialogs();
  useRefreshedList(list.refresh, opened?.conversation.view);
  const page = useRef<PageHandle>({});
  const goTo = (conversation: string) => {
    setMenuOpen(false);
    navigate({ conversation });
  };
  const conversations = listState.conversations ?? [];
  usePageShortcuts({ services, opened, page: page.current, conversations, current: id, goTo });
  const signOut = () => {
    endSession(session).catch(() => undefined); // without a connection the credential expires by itself
    clearPersonalData(session.speakerUri);
    onLeave();
  };
  return (
    <PageServicesContext value={services}>
      <OpenConversationContext value={opened}>
        <div className={["floor-page", isMenuOpen && "menu-open"].filter(Boolean).join(" ")}>
          <Sidebar list={listState} current={id} me={session} onGo={goTo} onRetry={() => void list.refresh()} />
          <button type="button" className="veil" aria-label={texts.page.closeList} onClick={() => setMenuOpen(false)} />
          <MainArea
            opening={opening}
            page={page.current}
            wantedSeq={pageLocation.seq}
            reopen={reopen}
            onLeave={onLeave}
            onMenu={() => setMenuOpen(!isMenuOpen)}
          />
          <Suspense>
            <Dialogs
              dialog={created.dialog}
              onClose={created.closeDialog}
              list={list}
              session={session}
              page={page.current}
              goTo={goTo}
              onChange={onChange}
              signOut={signOut}
              conversations={conversations}
            />
          </Suspense>
          <Toasts toasts={created.toasts} dismiss={created.dismiss} />
          <LiveRegion announcer={created.announcer} />
        </div>
      </OpenConversationContext>
    </PageServicesContext>
  );
}

/** By a client of its own: that of the page closes now. */
async function endSession({ token }: Session): Promise<void> {
  if (token === undefined) await fetch("/logout", { method: "POST" });
  else await visitorClient(token).call("DELETE /api/v1/sessions");
}

function usePreloadedDialogs(): void {
  useEffect(() => {
    setTimeout(() => void loadDialogs().catch(() => undefined), dialogsAfterMs); // opening a dialog loads it again
  }, []);
}

type MainAreaProps = {
  opening: OpeningState;
  page: PageHandle;
  wantedSeq: number | undefined;
  reopen: () => void;
  onLeave: (problem?: string) => void;
  onMenu: () => void;
};

/** The open conversation, or the reason why none is open. */
function MainArea({ opening, page, wantedSeq, reopen, onLeave, onMenu }: MainAreaProps) {
  const opened = useContext(OpenConversationContext);
  if (opened !== undefined)
    return <ConversationPage key={opened.conversation.id} page={page} wantedSeq={wantedSeq} onMenu={onMenu} />;
  return (
    <main className="main-empty">
      {opening.kind === "failed" ? (
        <OpenFailed opening={opening} reopen={reopen} onLeave={onLeave} onMenu={onMenu} />
      ) : (
        <Loading>{opening.kind === "loading" ? texts.page.openingConversation : texts.page.gettingReady}</Loading>
      )}
    </main>
  );
}

/** A progress indicator with a text. */
export function Loading({ children }: { children: ReactNode }) {
  return (
    <div className="waiting" role="status">
      <span className="dots" aria-hidden="true" />
      <p>{children} ...</p>
    </div>
  );
}

type OpenFailedProps = Pick<MainAreaProps, "reopen" | "onLeave" | "onMenu"> & {
  opening: { problem: string; isDenied: boolean };
};

/** Shown when a conversation does not open. */
function OpenFailed({ opening: { problem, isDenied }, reopen, onLeave, onMenu }: OpenFailedProps) {
  const isGuest = !usePageServices().mayHost;
  return (
    <div className="empty">
      <IconButton icon="menu" className="button plain icon menu-button" label={texts.sidebar.label} onClick={onMenu} />
      <Icon name="warning" size={32} />
      <h1>{isDenied ? texts.page.notOpenToYou : texts.page.doesNotOpen}</h1>
      <p role="alert">{isDenied ? texts.page.notOpenWhy : problem}</p>
      <div className="row">
        <Button look="main" text={texts.common.tryAgain} onClick={reopen} />
        {isDenied && isGuest && <Button text={texts.page.leave} onClick={() => onLeave(texts.page.askForNewLink)} />}
      </div>
    </div>
  );
}

/** Creates the services that all parts of the page share. */
function useCreatePageServices(floor: Floor) {
  const { settings, change } = useSettings();
  const [announcer] = useState(() => createAnnouncer());
  const { announce } = announcer;
  const { toasts, toast, dismiss } = useToasts(announce);
  const [dialog, setDialog] = useState<DialogName>();
  const services = useMemo((): PageServices => {
    const floorNowMs = () => floor.nowMs();
    return { mayHost: floor.me.canHost, floorNowMs, settings, change, announce, toast, open: setDialog };
  }, [floor, settings, change, announce, toast]);
  return { services, announcer, toasts, dismiss, dialog, closeDialog: () => setDialog(undefined) };
}
