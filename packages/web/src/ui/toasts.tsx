import { useCallback, useEffect, useState } from "react";
import { texts } from "../texts/texts.ts";
import { IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";

type ToastTone = "quiet" | "error";
export type Toast = { id: number; text: string; tone: ToastTone };

const shownMs = 6_000;
const toastsMax = 4;

/** A repeated text replaces its earlier toast. */
export function withToast(toasts: readonly Toast[], toast: Toast): Toast[] {
  const others = toasts.filter(({ text, tone }) => text !== toast.text || tone !== toast.tone);
  return [...others, toast].slice(-toastsMax);
}

/** The announcer reads quiet toasts; error toasts are alerts. */
export function useToasts(announce: (sentence: string) => void) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const toast = useCallback(
    (text: string, tone: ToastTone = "quiet") => {
      setToasts((before) => withToast(before, { id: (before.at(-1)?.id ?? 0) + 1, text, tone }));
      if (tone === "quiet") announce(text);
    },
    [announce],
  );
  const dismiss = useCallback((id: number) => setToasts((before) => before.filter((other) => other.id !== id)), []);
  return { toasts, toast, dismiss };
}

export function Toasts({ toasts, dismiss }: { toasts: readonly Toast[]; dismiss: (id: number) => void }) {
  const [isHeld, setHeld] = useState(false);
  // Hovering or focusing one toast keeps all of them.
  const hold = () => setHeld(true);
  const release = () => setHeld(false);
  useEffect(() => {
    // A held toast may be removed without a leave event.
    if (toasts.length === 0) setHeld(false);
  }, [toasts.length]);
  return (
    <ul
      className="bare ui-toasts"
      aria-label={texts.toasts.label}
      hidden={toasts.length === 0}
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      {toasts.map((toast) => (
        <ToastItem key={toast.id} toast={toast} isHeld={isHeld} dismiss={dismiss} />
      ))}
    </ul>
  );
}

type Props = { toast: Toast; isHeld: boolean; dismiss: (id: number) => void };

function ToastItem({ toast: { id, text, tone }, isHeld, dismiss }: Props) {
  const isError = tone === "error";
  useEffect(() => {
    if (isHeld || isError) return;
    const timer = setTimeout(() => dismiss(id), shownMs);
    return () => clearTimeout(timer);
  }, [id, isHeld, isError, dismiss]);
  return (
    <li className={isError ? "ui-toast is-error" : "ui-toast"}>
      <Icon name={isError ? "warning" : "check"} />
      <p role={isError ? "alert" : undefined}>{text}</p>
      <IconButton icon="close" size={16} isSmall label={texts.toasts.dismiss(text)} onClick={() => dismiss(id)} />
    </li>
  );
}
