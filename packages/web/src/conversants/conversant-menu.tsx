import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useOpenConversation } from "../state/context.ts";
import { Parts, texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";
import type { ConversantAction } from "./allowed-actions.ts";

type Props = {
  speakerUri: string;
  name: string;
  offers: readonly ConversantAction[];
  /** The owner brought this agent, and the reader is a guest. */
  isKept: boolean;
  onMention: (speakerUri: string) => void;
  onWhisper: (speakerUri: string) => void;
};

const icons: Readonly<Record<ConversantAction, IconName>> = {
  mention: "pen",
  whisper: "lock",
  grant: "floor",
  revoke: "back",
  appoint: "people",
  dismiss: "people",
  archive: "card",
  unarchive: "card",
  remove: "door",
};

/** Actions for a conversant. The popover API closes it by Escape or a click elsewhere. */
export function ConversantMenu({ speakerUri, name, offers, isKept, onMention, onWhisper }: Props) {
  const { actions } = useOpenConversation();
  const { isBusy, run } = useAsyncAction("toast");
  const id = useId();
  const popover = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [place, setPlace] = useState({ top: 0, right: 0 });
  const [step, setStep] = useState<"closed" | "menu" | "remove">("closed");
  const close = () => popover.current?.hidePopover();
  const handlers: Readonly<Record<ConversantAction, () => unknown>> = {
    mention: () => onMention(speakerUri),
    whisper: () => onWhisper(speakerUri),
    grant: () => run(() => actions.grant(speakerUri)),
    revoke: () => run(() => actions.revoke(speakerUri)),
    appoint: () => run(() => actions.appointConvener({ speakerUri })),
    dismiss: () => run(() => actions.appointConvener(undefined)),
    archive: () => run(() => actions.changeRole("archivist", speakerUri, true)),
    unarchive: () => run(() => actions.changeRole("archivist", speakerUri, false)),
    remove: () => setStep("remove"),
  };
  function choose(offer: ConversantAction) {
    if (offer !== "remove") close();
    handlers[offer]();
  }
  function onToggle({ newState }: { newState: string }) {
    setStep(newState === "open" ? "menu" : "closed");
    if (newState === "open") popover.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }
  function beforeToggle() {
    const box = button.current?.getBoundingClientRect();
    if (box !== undefined) setPlace(placeBelow(box, offers.length));
  }
  if (offers.length === 0) return null;
  return (
    <>
      <button
        ref={button}
        type="button"
        className="button plain icon"
        aria-label={texts.conversants.actionsFor(name)}
        aria-haspopup="menu"
        aria-expanded={step !== "closed"}
        popoverTarget={id}
        disabled={isBusy}
      >
        <Icon name="more" />
      </button>
      <div
        ref={popover}
        id={id}
        popover="auto"
        className="floor-menu"
        style={place}
        onBeforeToggle={beforeToggle}
        onToggle={onToggle}
      >
        {step === "remove" ? (
          <RemoveForm
            name={name}
            onKeep={close}
            onRemove={(reason) => {
              close();
              void run(() => actions.uninvite(speakerUri, reason));
            }}
          />
        ) : (
          <ActionList name={name} offers={offers} onChoose={choose} />
        )}
        {isKept && <p className="quiet floor-menu-note">{texts.conversants.onlyOwnerRemoves}</p>}
      </div>
    </>
  );
}

/** Opens upwards near the lower edge of the page. */
function placeBelow(box: DOMRect, count: number): { top: number; right: number } {
  const top = Math.min(box.bottom + 4, window.innerHeight - count * 40 - 24);
  return { top: Math.max(8, top), right: Math.max(8, window.innerWidth - box.right) };
}

type ListProps = { name: string; offers: readonly ConversantAction[]; onChoose: (offer: ConversantAction) => void };

function ActionList({ name, offers, onChoose }: ListProps) {
  return (
    <div role="menu" aria-label={name} tabIndex={-1} onKeyDown={moveFocus}>
      {offers.map((offer) => (
        <button
          key={offer}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className={offer === "remove" ? "floor-menu-item floor-menu-bad" : "floor-menu-item"}
          onClick={() => onChoose(offer)}
        >
          <Icon name={icons[offer]} size={16} />
          {texts.conversants.actions[offer]}
        </button>
      ))}
    </div>
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=menuitem]")];
  const at = items.indexOf(event.target as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  items.at(to % items.length)?.focus();
}

type RemoveProps = { name: string; onKeep: () => void; onRemove: (reason: string | undefined) => void };

/** Asks for confirmation inside the menu. */
function RemoveForm({ name, onKeep, onRemove }: RemoveProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const reason = String(new FormData(event.currentTarget).get("reason") ?? "").trim();
    onRemove(reason === "" ? undefined : reason);
  }
  return (
    <form className="floor-remove" aria-label={texts.conversants.removeLabel(name)} onSubmit={submit}>
      <p>
        <b>
          <Parts of={texts.conversants.removeQuestion(<bdi>{name}</bdi>)} />
        </b>
      </p>
      <div className="field">
        <label htmlFor={id}>{texts.conversants.removeReason}</label>
        <input id={id} ref={field} name="reason" className="input" maxLength={200} autoComplete="off" />
      </div>
      <div className="floor-remove-foot">
        <Button look="small" text={texts.conversants.keep} onClick={onKeep} />
        <Button look="small danger" text={texts.conversants.remove} type="submit" />
      </div>
    </form>
  );
}
