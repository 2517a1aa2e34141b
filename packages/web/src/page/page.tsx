import { lazy, Suspense, useEffect, useState } from "react";
import { errorText } from "../api/floor.ts";
import {
  cookieSession,
  dropSession,
  operatorSession,
  type Session,
  secretIn,
  storedSession,
  storeSession,
} from "../api/session.ts";
import { applyTheme, readSettings } from "../settings/settings.ts";
import { texts, useTexts } from "../texts/texts.ts";
import { FloorPage, Loading } from "./floor-page.tsx";
import { SignIn } from "./sign-in.tsx";

/** Loaded on demand: only guests need it. */
const GuestEntry = lazy(async () => ({ default: (await import("./guest-entry.tsx")).GuestEntry }));

type PageState =
  | { kind: "loading" }
  | { kind: "sign-in"; problem?: string }
  | { kind: "invited"; invite: string }
  | { kind: "in"; session: Session };

/** Finds the session: from a link with a secret, from browser storage, or from a cookie. */
export function Page() {
  useTexts();
  const [state, setState] = useState<PageState>({ kind: "loading" });
  useEffect(() => applyTheme(readSettings().theme), []);
  useEffect(() => {
    let arrivals = 0;
    const arrive = () => {
      const number = ++arrivals;
      const show = (next: PageState) => number === arrivals && setState(next);
      initialState().then(show, (error) => show({ kind: "sign-in", problem: errorText(error) }));
    };
    // Pasting a link into this tab changes only the fragment.
    const onLink = () => secretIn(location.hash) !== undefined && arrive();
    addEventListener("hashchange", onLink);
    arrive();
    return () => {
      arrivals += 1;
      removeEventListener("hashchange", onLink);
    };
  }, []);
  const enter = (session: Session) => {
    storeSession(session);
    removeSecretFromAddress();
    setState({ kind: "in", session });
  };
  const leave = (session: Session, problem?: string) => {
    dropSession(session);
    setState({ kind: "sign-in", ...(problem !== undefined && { problem }) });
  };
  switch (state.kind) {
    case "loading":
      return <Loading>{texts.page.opening}</Loading>;
    case "sign-in":
      return <SignIn problem={state.problem} />;
    case "invited":
      return (
        <Suspense>
          <GuestEntry invite={state.invite} onEnter={enter} />
        </Suspense>
      );
    case "in":
      return (
        <FloorPage
          key={state.session.speakerUri}
          session={state.session}
          onChange={enter}
          onLeave={(problem) => leave(state.session, problem)}
        />
      );
  }
}

let exchange: Promise<Session> | undefined;

async function initialState(): Promise<PageState> {
  const secret = secretIn(location.hash);
  if (secret !== undefined && "invite" in secret) return { kind: "invited", invite: secret.invite };
  if (secret !== undefined) {
    // StrictMode runs effects twice; the token is exchanged once.
    exchange ??= operatorSession(secret.token).finally(() => {
      exchange = undefined;
      removeSecretFromAddress();
    });
    const session = await exchange;
    storeSession(session);
    return { kind: "in", session };
  }
  const session = storedSession() ?? (await cookieSession());
  return session === undefined ? { kind: "sign-in" } : { kind: "in", session };
}

/** The secret must not stay in the address bar, the history or shared links. */
function removeSecretFromAddress(): void {
  if (location.hash !== "") history.replaceState(null, "", `${location.pathname}${location.search}`);
}
