import { type RefObject, useEffect, useRef } from "react";

/** Focuses a field when a dialog opens. Call it in the parent of the dialog, whose effects run after the dialog's. */
export function useFirstFocus<Field extends HTMLElement>(): RefObject<Field | null> {
  const field = useRef<Field>(null);
  useEffect(() => field.current?.focus(), []);
  return field;
}
