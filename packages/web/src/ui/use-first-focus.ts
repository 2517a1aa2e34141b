import { type RefObject, useEffect, useRef } from "react";

/** Where the focus goes when a dialog opens. For the component around the dialog: its effects come after the dialog's. */
export function useFirstFocus<Field extends HTMLElement>(): RefObject<Field | null> {
  const field = useRef<Field>(null);
  useEffect(() => field.current?.focus(), []);
  return field;
}
