import { type HTMLAttributes, type InputHTMLAttributes, type KeyboardEvent, useEffect, useId, useState } from "react";

type Listbox = {
  inputProps: InputHTMLAttributes<HTMLInputElement>;
  listProps: HTMLAttributes<HTMLElement>;
  optionProps(index: number): HTMLAttributes<HTMLElement>;
};

/** A combobox: arrow keys move through the list while the focus stays in the field. */
export function useListbox(count: number, label: string, onChoose: (index: number) => void): Listbox {
  const id = useId();
  const [wanted, setWanted] = useState(0);
  const active = Math.min(wanted, count - 1);
  const activeId = active < 0 ? undefined : `${id}-${active}`;
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    const next = moved(event.key, active, count);
    if (next !== undefined) setWanted(next);
    else if (event.key === "Enter" && active >= 0) onChoose(active);
    else return;
    event.preventDefault();
  }

  return {
    inputProps: {
      role: "combobox",
      "aria-label": label,
      "aria-expanded": count > 0,
      "aria-controls": id,
      "aria-autocomplete": "list",
      "aria-activedescendant": activeId,
      autoComplete: "off",
      spellCheck: false,
      onKeyDown,
      // A new query starts at the first option.
      onInput: () => setWanted(0),
    },
    listProps: { id, role: "listbox", "aria-label": label },
    optionProps: (index) => ({
      id: `${id}-${index}`,
      role: "option",
      "aria-selected": index === active,
      onPointerMove: () => setWanted(index),
      onClick: () => onChoose(index),
    }),
  };
}

const pageRows = 8;

/** The option after a key: arrows wrap around, page keys stop at the ends. */
function moved(key: string, active: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === "ArrowDown") return (active + 1) % count;
  if (key === "ArrowUp") return (active - 1 + count) % count;
  if (key === "PageDown") return Math.min(active + pageRows, count - 1);
  if (key === "PageUp") return Math.max(active - pageRows, 0);
  return undefined;
}
