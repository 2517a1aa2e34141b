import { usePageServices } from "../state/context.ts";
import { Icon } from "./icon.tsx";

/** Copies a text. */
export function CopyButton({ text, what, isMain }: { text: string; what: string; isMain?: boolean }) {
  const { toast } = usePageServices();
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      toast(`Copied ${what}`);
    } catch {
      toast("The browser does not let this page copy. Please select the text and copy it yourself.", "error");
    }
  }
  return (
    <button
      type="button"
      className={isMain ? "button main" : "button plain small icon"}
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon name="copy" size={16} />
      {isMain && "Copy"}
    </button>
  );
}
