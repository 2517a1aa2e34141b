import { useEffect, useState } from "react";
import { followTheme, readSettings } from "../desk/settings.ts";
import { problemText } from "../wire/client.ts";
import { dropPass, keepPass, keptPass, type Pass, passOfCookie, passOfOperator, secretIn } from "../wire/pass.ts";
import { Door } from "./door.tsx";
import { FloorPage } from "./floor-page.tsx";
import { GuestEntry } from "./guest-entry.tsx";
import { Waiting } from "./waiting.tsx";

type Stage =
  | { kind: "loading" }
  | { kind: "door"; problem?: string }
  | { kind: "invited"; invite: string }
  | { kind: "in"; pass: Pass };

/** Who comes, and by what: a link with a secret, what this browser kept, or a cookie. */
export function Page() {
  const [stage, setStage] = useState<Stage>({ kind: "loading" });
  useEffect(() => followTheme(readSettings().theme), []);
  useEffect(() => {
    let arrivals = 0;
    const arrive = () => {
      const number = ++arrivals;
      const show = (next: Stage) => number === arrivals && setStage(next);
      firstStage().then(show, (error) => show({ kind: "door", problem: problemText(error) }));
    };
    // A link that is pasted over this page changes nothing but what follows the #.
    const onLink = () => secretIn(location.hash) !== undefined && arrive();
    addEventListener("hashchange", onLink);
    arrive();
    return () => {
      arrivals += 1;
      removeEventListener("hashchange", onLink);
    };
  }, []);
  const enter = (pass: Pass) => {
    keepPass(pass);
    forgetSecret();
    setStage({ kind: "in", pass });
  };
  const leave = (pass: Pass, problem?: string) => {
    dropPass(pass);
    setStage({ kind: "door", ...(problem !== undefined && { problem }) });
  };
  switch (stage.kind) {
    case "loading":
      return <Waiting>Opening the floor</Waiting>;
    case "door":
      return <Door problem={stage.problem} />;
    case "invited":
      return <GuestEntry invite={stage.invite} onEnter={enter} />;
    case "in":
      return (
        <FloorPage
          key={stage.pass.speakerUri}
          pass={stage.pass}
          onChange={enter}
          onLeave={(problem) => leave(stage.pass, problem)}
        />
      );
  }
}

let exchange: Promise<Pass> | undefined;

async function firstStage(): Promise<Stage> {
  const secret = secretIn(location.hash);
  if (secret !== undefined && "invite" in secret) return { kind: "invited", invite: secret.invite };
  if (secret !== undefined) {
    // Asked once, however often React looks.
    exchange ??= passOfOperator(secret.token).finally(() => {
      exchange = undefined;
      forgetSecret();
    });
    const pass = await exchange;
    keepPass(pass);
    return { kind: "in", pass };
  }
  const pass = keptPass() ?? (await passOfCookie());
  return pass === undefined ? { kind: "door" } : { kind: "in", pass };
}

/** It must not stay in the address bar, in the history or in what is shared from there. */
function forgetSecret(): void {
  if (location.hash !== "") history.replaceState(null, "", `${location.pathname}${location.search}`);
}
