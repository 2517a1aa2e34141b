import type { ButtonHTMLAttributes } from "react";
import { usePageServices } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { Icon, type IconName } from "./icon.tsx";

type Attributes = ButtonHTMLAttributes<HTMLButtonElement>;

type ButtonProps = Attributes & {
  text: string;
  /** Class names beside `button`. */
  look?: string;
  /** Follows the text, for screen readers only. */
  unseen?: string;
};

/** A button with a text. */
export function Button({ text, look, unseen, ...rest }: ButtonProps) {
  return (
    <button type="button" className={look === undefined ? "button" : `button ${look}`} {...rest}>
      {text}
      {unseen !== undefined && <span className="unseen"> {unseen}</span>}
    </button>
  );
}

type IconButtonProps = Attributes & { icon: IconName; size?: number; label: string; isSmall?: boolean };

/** A button without a frame. Its label is for screen readers. */
export function IconButton({ icon, size = 18, label, isSmall, ...rest }: IconButtonProps) {
  const look = isSmall ? "button plain small icon" : "button plain icon";
  return (
    <button type="button" className={look} aria-label={label} {...rest}>
      <Icon name={icon} size={size} />
    </button>
  );
}

/** An icon button with its label as tooltip. */
export function TitledIconButton(props: IconButtonProps) {
  return <IconButton title={props.label} {...props} />;
}

/** Copies a text. */
export function CopyButton({ text, what, isMain }: { text: string; what: string; isMain?: boolean }) {
  const { toast } = usePageServices();
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      toast(texts.features.copiedWhat(what));
    } catch {
      toast(texts.common.cannotCopy, "error");
    }
  }
  return (
    <button
      type="button"
      className={isMain ? "button main" : "button plain small icon"}
      aria-label={texts.features.copyWhat(what)}
      title={texts.features.copyWhat(what)}
      onClick={() => void copy()}
    >
      <Icon name="copy" size={16} />
      {isMain && texts.features.copy}
    </button>
  );
}
