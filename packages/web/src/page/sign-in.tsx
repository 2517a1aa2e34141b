import { useEffect, useState } from "react";
import { visitorClient } from "../api/floor.ts";
import { Parts, texts } from "../texts/texts.ts";
import { Brand } from "../ui/brand.tsx";

/** For visitors without a session. */
export function SignIn({ problem }: { problem: string | undefined }) {
  const maySignIn = useHasSignIn();
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <Brand size={44} />
        <h1>{texts.page.slogan}</h1>
        {problem !== undefined && (
          <p className="trouble" role="alert">
            {problem}
          </p>
        )}
        {maySignIn ? (
          <a className="button main" href={`/login?return=${encodeURIComponent(location.pathname + location.search)}`}>
            {texts.page.signIn}
          </a>
        ) : (
          <>
            <p>{texts.page.howToEnter}</p>
            <p className="quiet">
              <Parts of={texts.page.ownFloor(<code>#token=...</code>)} />
            </p>
          </>
        )}
      </div>
    </main>
  );
}

function useHasSignIn(): boolean {
  const [maySignIn, setMaySignIn] = useState(false);
  useEffect(() => {
    visitorClient()
      .call("GET /version")
      .then(({ signIn }) => setMaySignIn(signIn === true))
      .catch(() => undefined); // without a server there is nothing to sign in to
  }, []);
  return maySignIn;
}
