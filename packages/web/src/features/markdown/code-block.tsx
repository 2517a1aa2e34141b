import { useContext, useEffect, useState } from "react";
import { PageServicesContext } from "../../state/context.ts";
import { texts } from "../../texts/texts.ts";
import { Icon } from "../../ui/icon.tsx";

/** Code with its language and a copy button. */
export function CodeBlock({ code, language }: { code: string; language?: string | undefined }) {
  const [state, setState] = useState<"" | "copied" | "notCopied">("");
  const services = useContext(PageServicesContext);
  useEffect(() => {
    if (state === "") return;
    const timer = setTimeout(() => setState(""), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    const outcome = await copied(code);
    setState(outcome);
    services?.announce(texts.features[outcome]);
  };
  return (
    <figure className="feature-code">
      <figcaption>
        <span>{language ?? texts.features.code}</span>
        <button
          type="button"
          className="button plain small"
          aria-label={state === "" ? texts.features.copyCode : texts.features[state]}
          onClick={() => void copy()}
        >
          <Icon name={state === "copied" ? "check" : "copy"} size={14} />
          {state === "" ? texts.features.copy : texts.features[state]}
        </button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys */}
      <pre tabIndex={0} dir="ltr">
        <code>{code}</code>
      </pre>
    </figure>
  );
}

/** Pages without TLS have no clipboard. */
async function copied(text: string): Promise<"copied" | "notCopied"> {
  try {
    await navigator.clipboard.writeText(text);
    return "copied";
  } catch {
    return "notCopied";
  }
}
