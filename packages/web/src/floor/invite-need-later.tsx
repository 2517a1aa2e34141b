import { type ComponentType, useEffect, useState } from "react";
import { Trouble } from "../desk/trouble.tsx";
import { useAttempt } from "../desk/use-attempt.ts";
import type { InviteNeedProps } from "./need.ts";

/** Comes when somebody looks for it: most people know whom they want. */
export function InviteNeedLater(props: InviteNeedProps) {
  const [Panel, setPanel] = useState<ComponentType<InviteNeedProps>>();
  const { trouble, attempt } = useAttempt();
  useEffect(() => {
    attempt(async () => {
      const { InviteNeed } = await import("./invite-need.tsx");
      setPanel(() => InviteNeed);
    });
  }, [attempt]);
  if (Panel !== undefined) return <Panel {...props} />;
  return trouble === undefined ? <p className="quiet">A moment …</p> : <Trouble words={trouble} />;
}
