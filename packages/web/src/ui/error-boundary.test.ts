import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ItemErrorBoundary } from "./error-boundary.tsx";

/** As React does it for whatever throws inside. */
function shown(seq: number | undefined, isBroken: boolean): string {
  const boundary = new ItemErrorBoundary({ seq, children: createElement("p", null, "words") });
  if (isBroken) boundary.state = ItemErrorBoundary.getDerivedStateFromError();
  return renderToStaticMarkup(boundary.render());
}

test("an item that renders is shown", () => {
  expect(shown(7, false)).toBe("<p>words</p>");
});

test("an item that fails shows its entry number, if it has one", () => {
  expect(shown(7, true)).toContain("This cannot be shown (entry 7)");
  expect(shown(undefined, true)).toContain(">This cannot be shown<");
});
