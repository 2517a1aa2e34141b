import { type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef } from "react";
import { texts } from "../texts/texts.ts";
import { Button, IconButton } from "./button.tsx";

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
          <IconButton icon="close" label={texts.common.close} onClick={onClose} />
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

type FootProps = { submit: string; isDisabled: boolean; onCancel: () => void };

/** The buttons below a form; `submit` names the button that submits it. */
export function FormFoot({ submit, isDisabled, onCancel }: FootProps) {
  return (
    <div className="foot">
      <Button text={texts.common.cancel} onClick={onCancel} />
      <Button look="main" text={submit} type="submit" disabled={isDisabled} />
    </div>
  );
}

/** An error at the place where it happened. */
export function ErrorMessage({ text, id }: { text: string | undefined; id?: string }) {
  if (text === undefined) return null;
  return (
    <p ref={scrollIntoView} id={id} className="trouble ui-trouble" role="alert">
      {text}
    </p>
  );
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}

/** Focuses a field when a dialog opens. Call it in the parent of the dialog, whose effects run after the dialog's. */
export function useFirstFocus<Field extends HTMLElement>(): RefObject<Field | null> {
  const field = useRef<Field>(null);
  useEffect(() => field.current?.focus(), []);
  return field;
}
