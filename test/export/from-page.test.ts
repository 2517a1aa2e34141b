// A person exports a conversation from the page, by the menu or the palette.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Person } from "../browser/person.ts";
import { usePageFloor } from "../browser/use-page-floor.ts";
import { isMissing } from "../support/chromium.ts";

describe.skipIf(isMissing)("from the page", () => {
  const shared = usePageFloor();

  async function downloaded({ page }: Person, choose: () => Promise<void>) {
    const [download] = await Promise.all([page.waitForEvent("download"), choose()]);
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
  }

  test("a conversation is downloaded as its reader sees it", async () => {
    const host = await shared.floor.openAsHost(await shared.floor.begin({ title: "Birds / bees?" }));
    await host.say("An owl in the attic");
    await host.sees("An owl in the attic");
    const page = await downloaded(host, async () => {
      await host.page.getByRole("button", { name: "More", exact: true }).click();
      await host.page.getByRole("menuitem", { name: "Export as a page" }).click();
    });
    expect(page.name).toBe("Birds - bees-.html");
    expect(page.text).toContain("<!doctype html>");
    expect(page.text).toContain("An owl in the attic");
    const lines = await downloaded(host, async () => {
      await host.page.keyboard.press("Control+k");
      const field = host.page.getByRole("dialog", { name: "Commands" }).getByRole("combobox");
      await field.fill("Export as JSON lines");
      await field.press("Enter");
    });
    expect(lines.name).toBe("Birds - bees-.jsonl");
    expect(JSON.parse(lines.text.split("\n")[0] ?? "")).toMatchObject({ readAs: shared.floor.host });
  });
});
