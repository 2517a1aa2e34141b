// The page speaks the browser's language, and the language that a person chooses.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isMissing, startChromium } from "../support/chromium.ts";
import { type PageFloor, startPageFloor } from "./page-floor.ts";

describe.skipIf(isMissing)("the language of the page", () => {
  let browser: Browser;
  let floor: PageFloor;

  beforeAll(async () => {
    browser = await startChromium();
    floor = await startPageFloor({ browser });
  });
  afterAll(async () => {
    await floor?.close();
    await browser?.close();
  });

  test("is German in a German browser, until English is chosen in the settings", async () => {
    const conversation = await floor.begin({ title: "Die Runde" });
    const { page, complaints } = await floor.stranger({ locale: "de-DE" });
    await page.goto(`${floor.url}/?conversation=${conversation}#token=${floor.token}`);
    await page.getByPlaceholder("Sag etwas zu allen").waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("de");
    await page.getByRole("complementary", { name: "Wer hier ist" }).getByText("hast das Wort").waitFor();

    await page.getByRole("button", { name: "Einstellungen" }).click();
    await page.getByRole("dialog", { name: "Einstellungen" }).getByLabel("English").check();
    const settings = page.getByRole("dialog", { name: "Settings" });
    await settings.getByText("Language", { exact: true }).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("en");
    await page.keyboard.press("Escape");
    await page.getByPlaceholder("Say something to everyone").waitFor();

    await page.reload();
    await page.getByPlaceholder("Say something to everyone").waitFor();
    await page.getByRole("button", { name: "Settings" }).click();
    await settings.getByLabel("Deutsch").check();
    await page.getByRole("dialog", { name: "Einstellungen" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("is English where the browser prefers neither English nor German", async () => {
    const { page } = await floor.stranger({ locale: "fr-FR" });
    await page.goto(floor.url);
    await page.getByRole("heading", { name: "An open floor for people and agents" }).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("en");
  });
});
