import { expect, test } from "vitest";
import { type Toast, withToast } from "./toasts.tsx";

const quiet = (id: number, text: string): Toast => ({ id, text, tone: "quiet" });

test("a repeated text moves to the end and is not doubled", () => {
  const toasts = withToast([quiet(1, "Copied"), quiet(2, "Invited")], quiet(3, "Copied"));
  expect(toasts.map(({ text }) => text)).toEqual(["Invited", "Copied"]);
});

test("an error with the text of a notice is a separate toast", () => {
  expect(withToast([quiet(1, "Copied")], { id: 2, text: "Copied", tone: "error" })).toHaveLength(2);
});

test("only the newest four toasts are shown", () => {
  const toasts = [1, 2, 3, 4, 5].reduce<Toast[]>((before, id) => withToast(before, quiet(id, `toast ${id}`)), []);
  expect(toasts.map(({ id }) => id)).toEqual([2, 3, 4, 5]);
});
