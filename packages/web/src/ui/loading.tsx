import type { ReactNode } from "react";

/** No spinner without words. */
export function Loading({ children }: { children: ReactNode }) {
  return (
    <div className="waiting" role="status">
      <span className="dots" aria-hidden="true" />
      <p>{children} ...</p>
    </div>
  );
}
