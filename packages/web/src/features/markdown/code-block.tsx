import { useContext, useEffect, useState } from "react";
import { PageServicesContext } from "../../state/context.ts";
import { Icon } from "../../ui/icon.tsx";

/** Code with its language and a copy button. */
export function CodeBlock({ code, language }: { code: string; language?: string | undefined }) {
  const [state, setState] = useState<"" | "Copied" | "Not copied">("");
  const services = useContext(PageServicesContext);
  useEffect(() => {
    if (state === "") return;
    const timer = setTimeout(() => setState(""), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    const outcome = await copied(code);
    setState(outcome);
    services?.announce(outcome);
  };
  return (
    <figure className="feature-code">
      <figcaption>
        <span>{language ?? "code"}</span>
        <button
          type="button"
          className="button plain small"
          aria-label={state || "Copy code"}
          onClick={() => void copy()}
        >
          <Icon name={state === "Copied" ? "check" : "copy"} size={14} />
          {state || "Copy"}
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
async function copied(text: string): Promise<"Copied" | "Not copied"> {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    return "Not copied";
  }
}
