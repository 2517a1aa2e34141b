// How the page shows the known agents of a floor where one can be picked.
import { describe, expect, test } from "vitest";
import * as peer from "../agents/foreign-agents.ts";
import { isMissing } from "../support/chromium.ts";
import { closeAgents, startAgent } from "../support/http-agent.ts";
import { usePageFloor } from "./use-page-floor.ts";

describe.skipIf(isMissing)("an agent that is known", () => {
  const shared = usePageFloor();

  test("shows its health in words wherever it can be picked, and unfolds the rules that it breaks", async () => {
    const { floor } = shared;
    const agents = { newton: peer.modern("Newton"), old: peer.old, quirky: peer.quirky, liar: peer.liar };
    for (const behaviour of Object.values(agents)) {
      await floor.must("POST", "/api/v1/agents", { serviceUrl: (await startAgent(behaviour)).url });
    }
    const { page } = await floor.openAsHost(await floor.begin());
    for (const [button, title] of [
      ["Invite", "Invite"],
      ["New", "New conversation"],
    ] as const) {
      await page.getByRole("button", { name: button }).first().click();
      const dialog = page.getByRole("dialog", { name: title });
      const row = (name: string) => dialog.getByRole("listitem").filter({ hasText: name }).first();
      await row("Newton")
        .getByText(/^answers in \d/u)
        .waitFor();
      expect(await row("Newton").getByText("speaks").count()).toBe(0);
      await row("Methuselah").getByText("speaks 0.9").waitFor();
      await dialog.getByText("answers wrongly: its answer is not an envelope").waitFor();
      const remedy = row("Quirk").getByText("rename serviceName to department");
      expect(await remedy.isVisible()).toBe(false);
      await row("Quirk")
        .getByText(/^Breaks \d rules$/u)
        .focus();
      await page.keyboard.press("Enter");
      await remedy.waitFor();
      await page.keyboard.press("Escape");
    }
    await closeAgents();
  });
});
