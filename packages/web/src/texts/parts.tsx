import { createElement, Fragment, type ReactNode } from "react";

/** A text with elements in it. */
export function Parts({ of }: { of: readonly ReactNode[] }) {
  return createElement(Fragment, null, ...of);
}
