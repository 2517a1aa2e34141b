import { type FormEvent, useEffect, useId, useRef } from "react";

type Props = { name: string; onKeep: () => void; onRemove: (reason: string | undefined) => void };

/** Asks once more, in place. */
export function RemoveForm({ name, onKeep, onRemove }: Props) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const reason = String(new FormData(event.currentTarget).get("reason") ?? "").trim();
    onRemove(reason === "" ? undefined : reason);
  }
  return (
    <form className="floor-remove" aria-label={`Remove ${name}`} onSubmit={submit}>
      <p>
        <b>
          Remove <bdi>{name}</bdi>?
        </b>
      </p>
      <div className="field">
        <label htmlFor={id}>Why (optional, everyone sees it)</label>
        <input id={id} ref={field} name="reason" className="input" maxLength={200} autoComplete="off" />
      </div>
      <div className="floor-remove-foot">
        <button type="button" className="button small" onClick={onKeep}>
          Keep
        </button>
        <button type="submit" className="button small danger">
          Remove
        </button>
      </div>
    </form>
  );
}
