import { usePageServices } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { Icon } from "./icon.tsx";

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
