import { type FormEvent, useId, useState } from "react";
import { parseAddress } from "../agents/service-address.ts";
import { errorText } from "../api/client.ts";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";

/** Invites an agent by its address. */
export function InviteByAddress({ onDone }: { onDone: () => void }) {
  const { actions } = useOpenConversation();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  async function submit(event: FormEvent) {
    event.preventDefault();
    const address = parseAddress(typed);
    setProblem(address.ok ? undefined : address.problem);
    if (!address.ok) return;
    setBusy(true);
    try {
      await actions.invite(address.url);
      onDone();
    } catch (failure) {
      setProblem(errorText(failure));
    } finally {
      setBusy(false);
    }
  }
  return (
    <form className="floor-form" noValidate onSubmit={(event) => void submit(event)}>
      <div className="field">
        <label htmlFor={id}>{texts.invite.address}</label>
        <input
          id={id}
          type="url"
          inputMode="url"
          className="input"
          placeholder="https://agent.example/openfloor"
          autoComplete="off"
          value={typed}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-hint ${id}-problem`}
          onChange={(event) => setTyped(event.target.value)}
        />
        <span className="hint" id={`${id}-hint`}>
          {texts.invite.addressHint}
        </span>
      </div>
      <p id={`${id}-problem`} role="alert" className={problem === undefined ? undefined : "trouble"}>
        {problem}
      </p>
      <div className="foot">
        <button type="submit" className="button main" disabled={isBusy}>
          {isBusy ? texts.invite.inviting : texts.invite.invite}
        </button>
      </div>
    </form>
  );
}
