import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { texts } from "../texts/texts.ts";
import { IconButton } from "./button.tsx";

type MenuOption = {
  label: string;
  run: () => void;
  /** Question that must be confirmed first. */
  confirm?: string;
  isDangerous?: boolean;
};

/** A menu button for pointer and keyboard. */
export function Menu({ label, options }: { label: string; options: readonly MenuOption[] }) {
  const [isOpen, setOpen] = useState(false);
  const [asked, setAsked] = useState<MenuOption>();
  const place = useRef<HTMLDivElement>(null);
  const id = useId();
  const close = () => {
    setOpen(false);
    setAsked(undefined);
  };
  useEffect(() => {
    if (!isOpen) return;
    const away = (event: Event) => event.target instanceof Node && !place.current?.contains(event.target) && close();
    document.addEventListener("pointerdown", away);
    place.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    return () => document.removeEventListener("pointerdown", away);
  });
  const choose = (option: MenuOption) => {
    if (option.confirm !== undefined && asked !== option) {
      setAsked(option);
      return;
    }
    close();
    option.run();
  };
  const keys = (event: KeyboardEvent) => {
    if (!isOpen) return;
    const items = [...(place.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const here = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") {
      close();
      place.current?.querySelector("button")?.focus();
    } else if (next !== undefined) items[(next + items.length) % items.length]?.focus();
    else return;
    if (event.key !== "Tab") event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys that come from the items inside
    <div className="menu" ref={place} onKeyDown={keys}>
      <IconButton
        icon="more"
        label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <div className="menu-list" id={id} role="menu" aria-label={label}>
          {asked !== undefined && <p className="quiet pad">{asked.confirm}</p>}
          {(asked === undefined ? options : [asked]).map((option) => (
            <button
              key={option.label}
              type="button"
              role="menuitem"
              className={["menu-item", option.isDangerous && "danger"].filter(Boolean).join(" ")}
              onClick={() => choose(option)}
            >
              {asked === undefined ? option.label : texts.head.yes(option.label)}
            </button>
          ))}
          {asked !== undefined && (
            <button type="button" role="menuitem" className="menu-item" onClick={close}>
              {texts.head.no}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
