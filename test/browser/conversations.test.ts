// Conversations are begun, found again, renamed, left and closed.
import { describe, expect, test } from "vitest";
import { isMissing } from "../support/chromium.ts";
import { type Person, patience } from "./person.ts";
import { usePageFloor } from "./use-page-floor.ts";

describe.skipIf(isMissing)("a conversation", () => {
  const shared = usePageFloor({ hosted: ["echo", "guide"] });
  const listOf = ({ page }: Person) => page.getByRole("navigation", { name: "Conversations" });
  const title = ({ page }: Person, words: string) => page.getByRole("heading", { name: words, level: 1 });

  test("is started with the chosen agents, is listed, and exists after a reload", async () => {
    const host = await shared.floor.openAsHost(await shared.floor.begin({ title: "An older one" }));
    await listOf(host).getByRole("button", { name: "New" }).click();
    const dialog = host.page.getByRole("dialog", { name: "New conversation" });
    await dialog.getByLabel("Title").fill("About parrots");
    await dialog.getByRole("checkbox", { name: "Echo" }).check();
    await dialog.getByRole("button", { name: "Begin with 1 agent" }).click();
    await title(host, "About parrots").waitFor();
    await host.conversant("Echo").getByText("has the floor").waitFor();
    await host.say("Polly");
    await host.utterances("Echo").getByText("You said: Polly").waitFor();
    await listOf(host).getByRole("button", { name: "An older one" }).click();
    await title(host, "An older one").waitFor();
    await host.page.goBack();
    await title(host, "About parrots").waitFor();
    await host.page.reload();
    await title(host, "About parrots").waitFor();
    await host.utterances("Echo").getByText("You said: Polly").waitFor();
    expect(await host.utterance("You said: Polly").count()).toBe(1);
  });

  test("is found among many by its title, and by what was said in it", async () => {
    for (const name of ["Apples", "Pears", "Plums", "Quinces", "Medlars"]) await shared.floor.begin({ title: name });
    const host = await shared.floor.openAsHost(await shared.floor.begin({ title: "Sloes" }));
    await host.say("sloes are best after the first frost");
    await host.say("something else");
    await host.sees("something else");
    await listOf(host).getByLabel("Search conversations").fill("quin");
    await listOf(host).getByRole("button", { name: "Quinces" }).waitFor();
    expect(await listOf(host).getByRole("listitem").count()).toBe(1);
    await host.page.getByRole("button", { name: "Search in this conversation" }).click();
    const dialog = host.page.getByRole("dialog", { name: "Search" });
    await dialog.getByPlaceholder("Words or a name").fill("FIRST frost");
    await dialog.getByRole("option", { name: "best after the first frost" }).click();
    await dialog.waitFor({ state: "detached" });
    await host.utterance("first frost").waitFor();
    await expect
      .poll(() => host.page.evaluate("document.activeElement.textContent"), patience)
      .toContain("first frost");
  });

  test("is renamed by its owner, and everyone sees the new title", async () => {
    const conversation = await shared.floor.begin({ title: "Untidy" });
    const host = await shared.floor.openAsHost(conversation);
    const gus = await shared.floor.openAsGuest("Gus", conversation);
    await title(gus, "Untidy").waitFor();
    await host.choose("Rename");
    const dialog = host.page.getByRole("dialog", { name: "Rename" });
    await dialog.getByRole("textbox").fill("Tidy & <b>bold</b>");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await title(gus, "Tidy & <b>bold</b>").waitFor();
    await gus.sees("changed the title to “Tidy & <b>bold</b>”");
    await listOf(host).getByRole("button", { name: "Tidy & <b>bold</b>" }).waitFor();
    expect(await gus.page.getByRole("button", { name: "More", exact: true }).count()).toBe(1);
  });

  test("that its owner leaves stays readable for the owner, and another conversant becomes its owner", async () => {
    const conversation = await shared.floor.begin({ title: "A farewell" });
    const host = await shared.floor.openAsHost(conversation);
    const gus = await shared.floor.openAsGuest("Gus", conversation);
    await host.say("I must go");
    await gus.sees("I must go");
    await host.choose("Leave");
    await host.page
      .getByRole("region", { name: "Speaking" })
      .getByText("You are not in this conversation any more.")
      .waitFor();
    await host.sees("I must go");
    await gus.sees("Host left");
    await gus.conversant("Gus").getByText("owner").waitFor();
  });

  test("that is closed ends for everyone, and the composer says so", async () => {
    const conversation = await shared.floor.begin({ title: "The last one" });
    const host = await shared.floor.openAsHost(conversation);
    const gus = await shared.floor.openAsGuest("Gus", conversation);
    await gus.say("one more thing");
    await host.sees("one more thing");
    await host.choose("Close for everyone");
    for (const { page, field, sees } of [host, gus]) {
      await page.getByText("This conversation is closed.").waitFor();
      await sees("one more thing");
      expect(await field.count()).toBe(0);
    }
    await listOf(host).getByRole("button", { name: "The last one closed" }).waitFor();
    await host.page.reload();
    await host.page.getByText("This conversation is closed.").waitFor();
  });
});
