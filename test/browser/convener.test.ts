// The owner appoints a convener of this floor and dismisses it, by keyboard.
import { describe, expect, test } from "vitest";
import { startOrdinaryAgent } from "../peers/ordinary-agent-as-convener.ts";
import { isMissing } from "../support/chromium.ts";
import { closeAgents } from "../support/http-agent.ts";
import { usePageFloor } from "./use-page-floor.ts";

describe.skipIf(isMissing)("the role of convener", () => {
  const shared = usePageFloor({ hosted: ["convener-queue", "convener-open", "echo"] });

  test("is given to a ready-made convener, to another, and to none, by keyboard", async () => {
    const conversation = await shared.floor.begin();
    const host = await shared.floor.openAsHost(conversation);
    const gus = await shared.floor.openAsGuest("Gus", conversation);
    const dialog = host.page.getByRole("dialog", { name: "Convener" });
    const choose = async (name: string, button = "Change the convener") => {
      await host.panel.getByRole("button", { name: button }).press("Enter");
      await dialog.getByRole("radio", { name }).press("Space");
      await dialog.getByRole("radio", { name }).press("Enter");
      await dialog.waitFor({ state: "detached" });
    };
    await host.panel.getByRole("button", { name: "Choose the convener" }).press("Enter");
    const radios = dialog.getByRole("group", { name: "Who convenes" }).getByRole("radio");
    await expect.poll(() => radios.count(), { timeout: 60_000 }).toBe(3);
    await host.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await choose("Queue", "Choose the convener");
    await gus.panel.getByText("Convener: Queue").waitFor();
    await choose("Open Floor");
    await gus.panel.getByText("Convener: Open Floor").waitFor();
    await gus.sees("Open Floor convenes now");
    await choose("No one");
    await gus.panel.getByText("No convener").waitFor();
    await gus.sees("Nobody convenes any more");
  });

  test("is taken from an agent that returns no delegated event, by one click on the notice", async () => {
    const conversation = await shared.floor.begin();
    const host = await shared.floor.openAsHost(conversation);
    const agent = await startOrdinaryAgent("Nice to meet you");
    const { must, url, host: owner } = shared.floor;
    await must("POST", `/api/v1/conversations/${conversation}/convener`, { serviceUrl: agent.url });
    await host.panel.getByText("Convener:").waitFor();
    const events = [{ eventType: "invite", to: { serviceUrl: `${url}/agents/echo` } }];
    const about = { schema: { version: "1.1.0" }, conversation: { id: conversation }, sender: { speakerUri: owner } };
    const end = host.page.getByRole("button", { name: "End convening" });
    for (let times = 0; times < 3; times += 1) {
      expect(await end.count()).toBe(0);
      await must("POST", "/openfloor", { openFloor: { ...about, events } }, { prefer: "wait=10" });
    }
    await end.click();
    await host.panel.getByText("No convener").waitFor();
    await expect.poll(() => end.count()).toBe(0);
    await closeAgents();
  });
});
