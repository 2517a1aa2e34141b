// An agent returns from another address: the page asks the owner only.
import { describe, expect, test } from "vitest";
import { clock, restart, startOnAPort } from "../peers/restarts-on-another-port.ts";
import { isMissing } from "../support/chromium.ts";
import { closeAgents } from "../support/http-agent.ts";
import { usePageFloor } from "./use-page-floor.ts";

describe.skipIf(isMissing)("an agent that answers from another address", () => {
  // Behind a proxy the floor is public, so a new address needs the owner's consent.
  const shared = usePageFloor({ options: { proxies: 1 } });

  test("joins when the owner allows the move with one click, and stays out when the owner refuses it", async () => {
    const before = await startOnAPort();
    await shared.floor.begin({ agents: [before] });
    const after = await restart(before);
    const conversation = await shared.floor.begin({ agents: [after] });
    const host = await shared.floor.openAsHost(conversation);
    const gus = await shared.floor.openAsGuest("Gus", conversation);
    const asked = host.page.getByRole("status").filter({ hasText: "now answers from" });
    await expect
      .poll(() => asked.textContent())
      .toContain(`${clock} now answers from ${after.url}; it was at ${before.url}`);
    expect(await gus.page.getByText("now answers from").count()).toBe(0);
    await asked.getByRole("button", { name: `Refuse ${clock}` }).click();
    await asked.waitFor({ state: "detached" });
    await gus.sees(`may not answer from ${after.url}`);
    const invite = { eventType: "invite", to: { serviceUrl: after.url } };
    const sender = { speakerUri: shared.floor.host };
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id: conversation }, sender, events: [invite] };
    await shared.floor.must("POST", "/openfloor", { openFloor }, { prefer: "wait=10" });
    await asked.getByRole("button", { name: `Allow ${clock}` }).click();
    await asked.waitFor({ state: "detached" });
    await host.say("where are you?");
    // An utterance, not the notice above that asks for consent.
    await gus.utterance(`from ${after.url}`).waitFor();
    await closeAgents();
  });
});
