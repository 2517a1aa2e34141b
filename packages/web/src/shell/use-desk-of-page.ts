import { useMemo, useState } from "react";
import { createAnnouncer } from "../desk/create-announcer.ts";
import { useSettings } from "../desk/settings.ts";
import { useToasts } from "../desk/toasts.tsx";
import type { Desk, DialogName } from "../state/context.ts";

/** Everything the page shares, in one place. */
export function useDeskOfPage({ mayHost }: Pick<Desk, "mayHost">) {
  const { settings, change } = useSettings();
  const [announcer] = useState(() => createAnnouncer());
  const { announce } = announcer;
  const { toasts, toast, dismiss } = useToasts(announce);
  const [dialog, setDialog] = useState<DialogName>();
  const desk = useMemo((): Desk => {
    return { mayHost, settings, change, announce, toast, open: setDialog };
  }, [mayHost, settings, change, announce, toast]);
  return { desk, announcer, toasts, dismiss, dialog, closeDialog: () => setDialog(undefined) };
}
