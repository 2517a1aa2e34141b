import { type ComponentType, type FormEvent, type KeyboardEvent, useEffect, useId, useState } from "react";
import { useKnownAgents } from "../agents/known-agents.tsx";
import { parseAddress } from "../agents/service-address.ts";
import { useOpenConversation } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Dialog, ErrorMessage } from "../ui/dialog.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";
import type { InviteByNeedProps } from "./by-need.tsx";
import { GuestLinks } from "./guest-links.tsx";
import { InviteKnownAgents } from "./known-agents.tsx";

const ways = ["agents", "need", "address", "link"] as const;
type Way = (typeof ways)[number];

/** Invites a known agent, an agent for a need, an agent by its address, or a person by a link. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { actions } = useOpenConversation();
  const { agents, error, reload } = useKnownAgents(actions.knownAgents);
  const [way, setWay] = useState<Way>("agents");
  if (error !== undefined) {
    return (
      <Dialog title={texts.invite.invite} onClose={onClose}>
        <p className="quiet">
          {texts.invite.notListed(error)} <Button look="plain small" text={texts.common.tryAgain} onClick={reload} />
        </p>
        <InviteByAddress onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={texts.invite.invite} onClose={onClose} className="floor-invite">
      <Tabs way={way} onWay={setWay}>
        {way === "agents" && <InviteKnownAgents agents={agents} onDone={onClose} onAddress={() => setWay("address")} />}
        {way === "need" && <LazyInviteByNeed onDone={onClose} onAddress={() => setWay("address")} />}
        {way === "address" && <InviteByAddress onDone={onClose} />}
        {way === "link" && <GuestLinks />}
      </Tabs>
    </Dialog>
  );
}

/** Loads the tab when it is opened: most people know which agent they want. */
function LazyInviteByNeed(props: InviteByNeedProps) {
  const [Panel, setPanel] = useState<ComponentType<InviteByNeedProps>>();
  const { error, run } = useAsyncAction("caller");
  useEffect(() => {
    void run(async () => {
      const { InviteByNeed } = await import("./by-need.tsx");
      setPanel(() => InviteByNeed);
    });
  }, [run]);
  if (Panel !== undefined) return <Panel {...props} />;
  return error === undefined ? <p className="quiet">{texts.invite.loading}</p> : <ErrorMessage text={error} />;
}

type TabsProps = { way: Way; onWay: (way: Way) => void; children: React.ReactNode };

function Tabs({ way, onWay, children }: TabsProps) {
  const id = useId();
  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = ways.at((ways.indexOf(way) + step) % ways.length) ?? way;
    onWay(next);
    document.getElementById(`${id}-${next}`)?.focus();
    event.preventDefault();
  }
  return (
    <>
      <div className="floor-tabs" role="tablist" aria-label={texts.invite.tabsLabel} onKeyDown={onKeyDown}>
        {ways.map((name) => (
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
            {texts.invite.tabs[name]}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${way}`} className="floor-form">
        {children}
      </div>
    </>
  );
}

/** Invites an agent by its address. */
function InviteByAddress({ onDone }: { onDone: () => void }) {
  const { actions } = useOpenConversation();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [mistake, setMistake] = useState<string>();
  const { isBusy, error, run } = useAsyncAction("caller");
  const problem = mistake ?? error;
  const submitText = isBusy ? texts.invite.inviting : texts.invite.invite;
  function submit(event: FormEvent) {
    event.preventDefault();
    const address = parseAddress(typed);
    setMistake(address.ok ? undefined : address.problem);
    if (address.ok) void run(() => actions.invite(address.url), onDone);
  }
  return (
    <form className="floor-form" noValidate onSubmit={submit}>
      <div className="field">
        <label htmlFor={id}>{texts.invite.address}</label>
        <input
          id={id}
          type="url"
          inputMode="url"
          className="input"
          placeholder="https://agent.example/openfloor"
          autoComplete="off"
          value={typed}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-hint ${id}-problem`}
          onChange={(event) => setTyped(event.target.value)}
        />
        <span className="hint" id={`${id}-hint`}>
          {texts.invite.addressHint}
        </span>
      </div>
      <p id={`${id}-problem`} role="alert" className={problem === undefined ? undefined : "trouble"}>
        {problem}
      </p>
      <div className="foot">
        <Button look="main" type="submit" text={submitText} disabled={isBusy} />
      </div>
    </form>
  );
}
