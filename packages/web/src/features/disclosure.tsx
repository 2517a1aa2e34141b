import { type ReactNode, useState } from "react";

type Props = { summary: ReactNode; isOpen?: boolean; children: () => ReactNode };

/** Renders its content when it is opened for the first time. */
export function Disclosure({ summary, isOpen = false, children }: Props) {
  const [hasBeenOpen, setHasBeenOpen] = useState(isOpen);
  return (
    <details
      className="feature-more"
      open={isOpen || undefined}
      onToggle={(event) => event.currentTarget.open && setHasBeenOpen(true)}
    >
      <summary>{summary}</summary>
      {hasBeenOpen && children()}
    </details>
  );
}

/** Source text that is shown on demand, as it is. */
export function RawText({ summary, text }: { summary: string; text: () => string }) {
  return (
    <Disclosure summary={summary}>
      {() => (
        <pre className="feature-raw" dir="ltr">
          {text()}
        </pre>
      )}
    </Disclosure>
  );
}
