import { type FormEvent, useId, useState } from "react";
import { texts } from "../texts/texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorMessage } from "../ui/error-message.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";
import { useFirstFocus } from "../ui/use-first-focus.ts";

export const titleMax = 200;

type Props = { title?: string | undefined; onRename: (title: string) => Promise<void>; onClose: () => void };

export function RenameDialog({ title = "", onRename, onClose }: Props) {
  const field = useFirstFocus<HTMLInputElement>();
  const [newTitle, setNewTitle] = useState(title);
  const { isBusy, error, run } = useAsyncAction("caller");
  const id = useId();
  const wanted = newTitle.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wanted === title) onClose();
    else void run(() => onRename(wanted), onClose);
  };
  return (
    <Dialog title={texts.dialogs.renameTitle} onClose={onClose}>
      <form className="ui-form" onSubmit={submit}>
        <div className="field">
          <label htmlFor={id}>{texts.dialogs.title}</label>
          <input
            id={id}
            ref={field}
            className="input"
            value={newTitle}
            maxLength={titleMax}
            autoComplete="off"
            onFocus={(event) => event.target.select()}
            onChange={(event) => setNewTitle(event.target.value)}
          />
        </div>
        <ErrorMessage text={error} />
        <div className="foot">
          <button type="button" className="button" onClick={onClose}>
            {texts.common.cancel}
          </button>
          <button type="submit" className="button main" disabled={isBusy || wanted === ""}>
            {texts.dialogs.rename}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
