import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ItemErrorBoundary } from "./item-error-boundary.tsx";

/** As React does it for whatever throws inside. */
function shown(seq: number | undefined, isBroken: boolean): string {
  const boundary = new ItemErrorBoundary({ seq, children: createElement("p", null, "words") });
  if (isBroken) boundary.state = ItemErrorBoundary.getDerivedStateFromError();
  return renderToStaticMarkup(boundary.render());
}

test("what can be shown is shown", () => {
  expect(shown(7, false)).toBe("<p>words</p>");
});

test("of what cannot be shown its number is told, where it has one", () => {
  expect(shown(7, true)).toContain("This cannot be shown (entry 7)");
  expect(shown(undefined, true)).toContain(">This cannot be shown<");
});
