// The network goes and comes; no written text is lost or sent twice.
import { describe, expect, test } from "vitest";
import { isMissing } from "../support/chromium.ts";
import { usePageFloor } from "./use-page-floor.ts";

describe.skipIf(isMissing)("a person whose floor does not answer", () => {
  const shared = usePageFloor();

  test("sees a notice, keeps typing, and each utterance is sent once when the network is back", async () => {
    const conversation = await shared.floor.begin();
    const host = await shared.floor.openAsHost(conversation);
    const gus = await shared.floor.openAsGuest("Gus", conversation);
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

  test("reads why a conversation does not open, and it opens by itself later", async () => {
    const conversation = await shared.floor.begin();
    const host = await shared.floor.openAsHost(conversation);
    await host.say("anyone?");
    const readsOfView = `**/api/v1/conversations/${conversation}?*`;
    await host.page.route(readsOfView, (route) => route.abort());
    await host.page.reload();
    await host.page.getByRole("heading", { name: "The conversation does not open" }).waitFor();
    await host.page.getByRole("alert").getByText("The floor cannot be reached.").waitFor();
    await host.page.unroute(readsOfView);
    await host.utterances("You").getByText("anyone?").waitFor();
    expect(host.complaints.splice(0).filter((one) => !one.includes("ERR_FAILED"))).toEqual([]);
  });

  test("reads that a conversation is not theirs", async () => {
    const host = await shared.floor.openAsHost(await shared.floor.begin());
    await host.page.goto(`${shared.floor.url}/?conversation=another`);
    await host.page.getByRole("heading", { name: "This conversation is not open to you" }).waitFor();
    await host.page.getByRole("alert").getByText("Ask its owner for a link.").waitFor();
    expect(host.complaints.splice(0).filter((one) => !one.includes("404"))).toEqual([]);
  });

  test("finds the half-written text again after a reload", async () => {
    const host = await shared.floor.openAsHost(await shared.floor.begin());
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
