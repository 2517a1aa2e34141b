import { type FormEvent, useState } from "react";
import { errorText } from "../api/floor.ts";
import { guestSession, type Session } from "../api/session.ts";
import { texts } from "../texts/texts.ts";
import { Brand } from "../ui/brand.tsx";
import { Button } from "../ui/button.tsx";

const nameMax = 100;

/** Asks a guest for a name. */
export function GuestEntry({ invite, onEnter }: { invite: string; onEnter: (session: Session) => void }) {
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const enter = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    guestSession(invite, name.trim()).then(onEnter, (error: unknown) => {
      setBusy(false);
      setProblem(errorText(error));
    });
  };
  return (
    <main className="sign-in">
      <form className="sign-in-card" onSubmit={enter}>
        <Brand size={44} />
        <h1>{texts.page.invited}</h1>
        <p id="hint">{texts.page.guestHint}</p>
        <div className="field">
          <label htmlFor="name">{texts.page.yourName}</label>
          <input
            id="name"
            className="input"
            value={name}
            onChange={(event) => setName(event.target.value)}
            maxLength={nameMax}
            autoComplete="name"
            aria-describedby="hint"
            // biome-ignore lint/a11y/noAutofocus: it is the only thing to do here
            autoFocus
            required
          />
        </div>
        {problem !== undefined && (
          <p className="trouble" role="alert">
            {problem}
          </p>
        )}
        <Button look="main" text={texts.page.join} type="submit" disabled={isBusy} />
      </form>
    </main>
  );
}
