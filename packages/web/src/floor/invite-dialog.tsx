import { type KeyboardEvent, useCallback, useEffect, useId, useState } from "react";
import { Dialog } from "../shell/dialog.tsx";
import { useScene } from "../state/context.ts";
import { problemWords } from "./deed.ts";
import { InviteAddress } from "./invite-address.tsx";
import { InviteAgents } from "./invite-agents.tsx";
import { InviteLink } from "./invite-link.tsx";
import { InviteNeedLater } from "./invite-need-later.tsx";
import type { Known } from "./known.ts";

const ways = { agents: "Known agents", need: "By need", address: "By address", link: "A person" } as const;
type Way = keyof typeof ways;

/** Brings somebody in: an agent that is known here, one that does what is needed, an agent by its address, or a person by a link. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { known, load } = useKnownAgents();
  const [way, setWay] = useState<Way>("agents");
  if (known.state === "failed") {
    return (
      <Dialog title="Invite" onClose={onClose}>
        <p className="quiet">
          The agents this floor knows cannot be listed for you ({known.problem}). You can still invite one whose address
          you have.{" "}
          <button type="button" className="button plain small" onClick={load}>
            Try again
          </button>
        </p>
        <InviteAddress onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Invite" onClose={onClose} className="floor-invite">
      <Tabs way={way} onWay={setWay}>
        {way === "agents" && <InviteAgents known={known} onDone={onClose} onAddress={() => setWay("address")} />}
        {way === "need" && <InviteNeedLater onDone={onClose} onAddress={() => setWay("address")} />}
        {way === "address" && <InviteAddress onDone={onClose} />}
        {way === "link" && <InviteLink />}
      </Tabs>
    </Dialog>
  );
}

function useKnownAgents() {
  const { actions } = useScene();
  const [known, setKnown] = useState<Known>({ state: "loading" });
  const load = useCallback(() => {
    setKnown({ state: "loading" });
    actions.knownAgents().then(
      (agents) => setKnown({ state: "known", agents }),
      (problem: unknown) => setKnown({ state: "failed", problem: problemWords(problem) }),
    );
  }, [actions]);
  useEffect(load, [load]);
  return { known, load };
}

type TabsProps = { way: Way; onWay: (way: Way) => void; children: React.ReactNode };

function Tabs({ way, onWay, children }: TabsProps) {
  const id = useId();
  const names = Object.keys(ways) as Way[];
  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = names.at((names.indexOf(way) + step) % names.length) ?? way;
    onWay(next);
    document.getElementById(`${id}-${next}`)?.focus();
    event.preventDefault();
  }
  return (
    <>
      <div className="floor-tabs" role="tablist" aria-label="Whom to invite" onKeyDown={onKeyDown}>
        {names.map((name) => (
          <button
            key={name}
            id={`${id}-${name}`}
            type="button"
            role="tab"
            className="floor-tab"
            aria-selected={name === way}
            aria-controls={`${id}-panel`}
            tabIndex={name === way ? 0 : -1}
            onClick={() => onWay(name)}
          >
            {ways[name]}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${way}`} className="floor-form">
        {children}
      </div>
    </>
  );
}
