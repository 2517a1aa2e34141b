// The network goes and comes; nothing that somebody wrote is lost, or said twice.
import { describe, expect, test } from "vitest";
import { isMissing } from "./chromium.ts";
import { setStage } from "./stage.ts";

describe.skipIf(isMissing)("whoever is offline", () => {
  const stage = setStage();

  test("is told so, writes on, and is heard once when the network is back", async () => {
    const conversation = await stage.hall.begin();
    const host = await stage.hall.seatHost(conversation);
    const gus = await stage.hall.seatGuest("Gus", conversation);
    await gus.context.setOffline(true);
    await gus.page.getByText("You are offline. What you write is kept.").waitFor();
    await gus.say("written in a tunnel");
    const unsent = gus.log.getByRole("article", { name: "You, not sent yet" });
    await unsent.getByText("written in a tunnel").waitFor();
    await host.say("where is Gus?");
    await gus.context.setOffline(false);
    await host.utterances("Gus").getByText("written in a tunnel").waitFor();
    await gus.sees("where is Gus?");
    await gus.utterances("You").getByText("written in a tunnel").waitFor();
    await unsent.waitFor({ state: "detached" });
    await gus.page.getByText("You are offline").waitFor({ state: "detached" });
    await gus.say("out again");
    await host.sees("out again");
    expect(await host.utterance("written in a tunnel").count()).toBe(1);
    expect(await gus.utterance("written in a tunnel").count()).toBe(1);
    expect(gus.complaints.splice(0).filter((one) => !one.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
  });

  test("finds what was half written again after a reload", async () => {
    const host = await stage.hall.seatHost(await stage.hall.begin());
    await host.field.fill("half a thou");
    await host.page.reload();
    await host.field.waitFor();
    expect(await host.field.inputValue()).toBe("half a thou");
    await host.field.press("End");
    await host.field.pressSequentially("ght");
    await host.field.press("Enter");
    await host.utterances("You").getByText("half a thought").waitFor();
    expect(await host.field.inputValue()).toBe("");
  });
});
