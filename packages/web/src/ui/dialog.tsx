import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { texts } from "../texts/texts.ts";
import { Icon } from "./icon.tsx";

type Props = { title: string; onClose: () => void; children: ReactNode; className?: string };

/** A native modal dialog: it traps the focus, closes by Escape and restores the focus. */
export function Dialog({ title, onClose, children, className }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Close before unmounting, or the browser does not restore the focus.
  useLayoutEffect(() => {
    const { current } = dialog;
    if (current !== null && !current.open) current.showModal();
    return () => {
      current?.close();
      refocus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={["dialog", className].filter(Boolean).join(" ")}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div className="inside">
        <div className="head">
          <h2 id={id}>{title}</h2>
          <button type="button" className="button plain icon" aria-label={texts.common.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}

/** If a focused button of the dialog was disabled, Chromium restores the focus to a field that then takes no input. */
function refocus(): void {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement) || activeElement === document.body) return;
  activeElement.blur();
  activeElement.focus({ preventScroll: true });
}
