import { type ReactNode, useState } from "react";

type Props = { summary: ReactNode; isOpen?: boolean; children: () => ReactNode };

/** More of something, made only once somebody wants to see it. */
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
