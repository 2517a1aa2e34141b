import { useMemo, useState } from "react";
import { createAnnouncer } from "../a11y/create-announcer.ts";
import { useSettings } from "../settings/settings.ts";
import type { DialogName, PageServices } from "../state/context.ts";
import { useToasts } from "../ui/toasts.tsx";

/** Creates the services that all parts of the page share. */
export function useCreatePageServices({ mayHost }: Pick<PageServices, "mayHost">) {
  const { settings, change } = useSettings();
  const [announcer] = useState(() => createAnnouncer());
  const { announce } = announcer;
  const { toasts, toast, dismiss } = useToasts(announce);
  const [dialog, setDialog] = useState<DialogName>();
  const services = useMemo((): PageServices => {
    return { mayHost, settings, change, announce, toast, open: setDialog };
  }, [mayHost, settings, change, announce, toast]);
  return { services, announcer, toasts, dismiss, dialog, closeDialog: () => setDialog(undefined) };
}
