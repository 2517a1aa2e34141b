import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Icon } from "./icon.tsx";

type Props = { title: string; onClose: () => void; children: ReactNode; className?: string };

/** The browser's own modal dialog: it keeps the focus inside, closes by Escape and gives the focus back. */
export function Dialog({ title, onClose, children, className }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before it leaves the page, or the focus would go nowhere instead of back.
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
          <button type="button" className="button plain icon" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}

/**
 * After a button of the dialog was disabled while it had the focus, Chromium gives the focus back to a field that takes
 * no words.
 */
function refocus(): void {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement) || activeElement === document.body) return;
  activeElement.blur();
  activeElement.focus({ preventScroll: true });
}
