import { type FormEvent, useState } from "react";
import { problemText } from "../wire/client.ts";
import { type Pass, passOfGuest } from "../wire/pass.ts";
import { Brand } from "./brand.tsx";

const nameMax = 100;

/** A name and one click. */
export function GuestEntry({ invite, onEnter }: { invite: string; onEnter: (pass: Pass) => void }) {
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const enter = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    passOfGuest(invite, name.trim()).then(onEnter, (error: unknown) => {
      setBusy(false);
      setProblem(problemText(error));
    });
  };
  return (
    <main className="door">
      <form className="door-card" onSubmit={enter}>
        <Brand size={44} />
        <h1>You are invited</h1>
        <p id="hint">Join the conversation as a guest. Everybody in it sees the name you give.</p>
        <div className="field">
          <label htmlFor="name">Your name</label>
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
        <button type="submit" className="button main" disabled={isBusy}>
          Join
        </button>
      </form>
    </main>
  );
}
