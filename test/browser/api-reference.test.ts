// The API reference in a real browser: under the page's policy, from this floor alone.
import axe from "axe-core";
import { describe, expect, test } from "vitest";
import { isMissing } from "../support/chromium.ts";
import { token } from "../support/start-test-floor.ts";
import { usePageFloor } from "./use-page-floor.ts";

const serious = `axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
  .then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target, failureSummary }) => id + " at " + target + ": " + failureSummary)))`;

describe.skipIf(isMissing)("the API reference", { timeout: 300_000 }, () => {
  // After each test the page must have reported no problem and asked no other origin.
  const shared = usePageFloor();

  test("shows the operations of this floor, and sends a request with a token", async () => {
    const { page } = await shared.floor.stranger();
    const answer = await page.goto(`${shared.floor.url}/docs/api`);
    const policy = answer?.headers()["content-security-policy"] ?? "";
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain("unsafe");
    await page.getByText("Create a conversation").waitFor();

    await page.getByRole("button", { name: "Authorize" }).first().click();
    await page.getByRole("textbox", { name: "auth-bearer-value" }).fill(token);
    await page.getByRole("button", { name: "Apply credentials" }).click();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByText("Read the caller's identity and the floor's identity").click();
    await page.getByRole("button", { name: "Try it out" }).click();
    await page.getByRole("button", { name: "Execute" }).click();
    await page.locator(".live-responses-table").getByText('"speakerUri"').first().waitFor();
  });

  test("follows the colour scheme, fits a phone and has no serious accessibility fault", async () => {
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, overflow } = await shared.floor.stranger({ viewport: { width: 390, height: 800 }, colorScheme });
      await page.goto(`${shared.floor.url}/docs/api#/conversations/createConversation`);
      await page.getByText("The new conversation.").waitFor();
      expect(await page.evaluate("document.documentElement.classList.contains('dark-mode')")).toBe(
        colorScheme === "dark",
      );
      expect(await overflow()).toBeLessThanOrEqual(0);
      await page.evaluate(axe.source);
      found.push(...((await page.evaluate(serious)) as string[]).map((one) => `${colorScheme}: ${one}`));
    }
    expect(found).toEqual([]);
  });
});
