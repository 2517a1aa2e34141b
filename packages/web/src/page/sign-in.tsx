import { useEffect, useState } from "react";
import { createClient } from "../api/client.ts";
import { Brand } from "../ui/brand.tsx";

/** For visitors without a session. */
export function SignIn({ problem }: { problem: string | undefined }) {
  const maySignIn = useHasSignIn();
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <Brand size={44} />
        <h1>An open floor for people and agents</h1>
        {problem !== undefined && (
          <p className="trouble" role="alert">
            {problem}
          </p>
        )}
        {maySignIn ? (
          <a className="button main" href={`/login?return=${encodeURIComponent(location.pathname + location.search)}`}>
            Sign in
          </a>
        ) : (
          <>
            <p>To come in, open the link that the floor printed when it was started, or a link somebody sent you.</p>
            <p className="quiet">
              Started it yourself? The link stands in that terminal and ends in <code>#token=...</code>
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
    createClient(undefined)
      .get<{ signIn?: boolean }>("/version")
      .then(({ signIn }) => setMaySignIn(signIn === true))
      .catch(() => undefined); // without a server there is nothing to sign in to
  }, []);
  return maySignIn;
}
