// How the agents that a floor knows are shown to whoever picks one.
import { describe, expect, test } from "vitest";
import * as peer from "../agents/peers.ts";
import { closeAgents, startAgent } from "../floor/agents.ts";
import { isMissing } from "./chromium.ts";
import { setStage } from "./stage.ts";

describe.skipIf(isMissing)("an agent that is known", () => {
  const stage = setStage();

  test("shows how it is, in words, wherever it can be picked; what it does against the rules unfolds", async () => {
    const { hall } = stage;
    const agents = { newton: peer.modern("Newton"), old: peer.old, quirky: peer.quirky, liar: peer.liar };
    for (const behaviour of Object.values(agents)) {
      await hall.call("POST", "/api/v1/agents", { serviceUrl: (await startAgent(behaviour)).url });
    }
    const { page } = await hall.seatHost(await hall.begin());
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
