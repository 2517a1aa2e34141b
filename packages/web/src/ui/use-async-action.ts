import { useCallback, useState } from "react";
import { errorText } from "../api/floor.ts";
import { usePageServices } from "../state/context.ts";

/** Runs an action that may fail. The caller shows the failure where it happened, or a toast does. */
export function useAsyncAction(errorsGoTo: "caller" | "toast") {
  const { toast } = usePageServices();
  const [isBusy, setBusy] = useState(false);
  /** Why the last run failed, as a text for people. Undefined when failures go to a toast. */
  const [error, setError] = useState<string>();
  /** Resolves to whether it succeeded; it never rejects. */
  const run = useCallback(
    async (action: () => Promise<unknown>, onSuccess?: () => void) => {
      setBusy(true);
      setError(undefined);
      try {
        await action();
      } catch (cause) {
        setBusy(false);
        if (errorsGoTo === "toast") toast(errorText(cause), "error");
        else setError(errorText(cause));
        return false;
      }
      setBusy(false);
      onSuccess?.();
      return true;
    },
    [errorsGoTo, toast],
  );
  return { isBusy, error, run };
}
