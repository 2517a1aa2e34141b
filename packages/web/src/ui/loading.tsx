import type { ReactNode } from "react";

/** A progress indicator with a text. */
export function Loading({ children }: { children: ReactNode }) {
  return (
    <div className="waiting" role="status">
      <span className="dots" aria-hidden="true" />
      <p>{children} ...</p>
    </div>
  );
}
