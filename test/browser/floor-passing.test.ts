// Passing the floor, and the floor strip.
import { describe, expect, test } from "vitest";
import { isMissing } from "../support/chromium.ts";
import { startScriptedAgent } from "../support/scripted-agent.ts";
import type { Person } from "./person.ts";
import { usePageFloor } from "./use-page-floor.ts";

describe.skipIf(isMissing)("the floor", () => {
  const shared = usePageFloor({ hosted: ["echo"] });

  async function openInvite({ page }: Person, way: string) {
    await page.getByRole("button", { name: "Invite", exact: true }).first().click();
    const dialog = page.getByRole("dialog", { name: "Invite" });
    await dialog.getByRole("tab", { name: way }).click();
    return dialog;
  }

  test("is yielded, requested, granted and revoked", async () => {
    const quiet = await startScriptedAgent({ name: "Quiet" });
    const conversation = await shared.floor.begin({ agents: [quiet] });
    const host = await shared.floor.openAsHost(conversation);
    const gus = await shared.floor.openAsGuest("Gus", conversation);
    await gus.panel.getByRole("button", { name: /^Yield/ }).click();
    await gus.form.getByText("You do not have the floor").waitFor();
    await host.conversant("Gus").getByText("listening").waitFor();
    await host.sees("Gus yielded the floor");
    await gus.panel.getByRole("button", { name: "Raise hand" }).click();
    await gus.panel.getByRole("button", { name: /^Yield/ }).waitFor();
    await host.conversant("Gus").getByText("has the floor").waitFor();
    await host.treat("Quiet", "Take the floor back");
    await host.conversant("Quiet").getByText("listening").waitFor();
    await gus.sees("Host took the floor from Quiet");
    await host.treat("Quiet", "Give the floor");
    await host.conversant("Quiet").getByText("has the floor").waitFor();
    await gus.sees("Host gave the floor to Quiet");
  });

  test("is offered to a silent agent after a person asked it twice", async () => {
    const quiet = await startScriptedAgent({ name: "Quiet" });
    const host = await shared.floor.openAsHost(await shared.floor.begin({ agents: [quiet] }));
    await host.say("@Quiet are you there?");
    await host.say("@Quiet hello?");
    await host.sees("Quiet did not answer twice");
    await host.page.getByRole("button", { name: "Give it the floor" }).click();
    await host.sees("You gave the floor to Quiet");
  });

  test("admits agents: a known one, and one by its address", async () => {
    const clerk = await startScriptedAgent({ name: "Clerk" });
    const host = await shared.floor.openAsHost(await shared.floor.begin());
    const known = await openInvite(host, "Known agents");
    await known.getByLabel("Search").fill("repeats");
    await known.getByRole("button", { name: "Invite Echo" }).click();
    await host.conversant("Echo").getByText("has the floor").waitFor();
    const other = await openInvite(host, "By address");
    await other.getByLabel("Address of the agent").fill("not an address");
    await other.getByRole("button", { name: "Invite" }).click();
    await other.getByRole("alert").getByText("An address has no spaces").waitFor();
    await other.getByLabel("Address of the agent").fill(clerk.url);
    await other.getByRole("button", { name: "Invite" }).click();
    await host.conversant("Clerk").getByText("has the floor").waitFor();
    await host.say("hello");
    await host.utterances("Echo").getByText("You said: hello").waitFor();
  });

  test("is closed to a removed person, and the page shows the given reason", async () => {
    const quiet = await startScriptedAgent({ name: "Quiet" });
    const host = await shared.floor.openAsHost(await shared.floor.begin({ agents: [quiet] }));
    await host.treat("Quiet", "Remove");
    const form = host.page.getByRole("form", { name: "Remove Quiet" });
    await form.getByLabel("Why").fill("too quiet");
    await form.getByRole("button", { name: "Remove" }).click();
    await host.sees("You removed Quiet");
    await host.sees("too quiet");
    await host.conversant("Quiet").waitFor({ state: "detached" });
  });

  test("is granted by a convener after the owner has chosen one", async () => {
    const chair = await startScriptedAgent({
      name: "Chair",
      roles: { convener: true },
      onEvent(eventType, cue) {
        if (eventType !== "requestFloor") return false;
        cue.answer({ eventType: "grantFloor", to: { speakerUri: cue.from }, reason: "you asked so kindly" });
        return true;
      },
    });
    const conversation = await shared.floor.begin({ agents: [chair] });
    const host = await shared.floor.openAsHost(conversation);
    const gus = await shared.floor.openAsGuest("Gus", conversation);
    await host.panel.getByRole("button", { name: "Choose the convener" }).click();
    const dialog = host.page.getByRole("dialog", { name: "Convener" });
    await dialog.getByRole("radio", { name: "Chair" }).check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await gus.panel.getByText("Convener: Chair").waitFor();
    await gus.sees("Chair convenes now");
    await gus.panel.getByRole("button", { name: /^Yield/ }).click();
    await gus.panel.getByRole("button", { name: "Raise hand" }).click();
    await host.sees("Chair gave the floor to Gus");
    await host.sees("you asked so kindly");
    await gus.panel.getByRole("button", { name: /^Yield/ }).waitFor();
  });

  describe("strip", () => {
    test("shows who has the floor, in a picture and in a table", async () => {
      const quiet = await startScriptedAgent({ name: "Quiet" });
      const conversation = await shared.floor.begin({ agents: [quiet] });
      const host = await shared.floor.openAsHost(conversation);
      await host.strip.getByText("Host and Quiet have the floor").waitFor();
      await host.panel.getByRole("button", { name: /^Yield/ }).click();
      await host.strip.getByText("Quiet has the floor").waitFor();
      await host.panel.getByRole("button", { name: "Raise hand" }).click();
      await host.strip.getByText("Host and Quiet have the floor").waitFor();
      await host.say("one");
      await host.whisper("Quiet", "two");
      await host.sees("two");
      await host.strip.getByRole("button", { name: "Show as table" }).click();
      await host.strip.getByRole("table").waitFor();
      const row = host.strip.getByRole("row", { name: "Host" });
      const cells = await row.getByRole("cell").allTextContents();
      expect(cells.slice(1)).toEqual(["1", "1", "0", "1"]);
      expect(cells[0]).toMatch(/^\d+ %, 2 times$/u);
    });

    test("leads from a mark to the utterance, by pointer and by keyboard", async () => {
      const host = await shared.floor.openAsHost(await shared.floor.begin());
      for (let count = 1; count <= 24; count += 1) {
        await host.say(`line ${count} of many`);
        await host.utterance(`line ${count} of many`).waitFor();
      }
      const first = host.utterance("line 1 of many");
      await first.waitFor({ state: "detached" });
      const lanes = host.strip.getByRole("listbox");
      const box = await lanes.boundingBox();
      if (box === null) throw new Error("there is no picture");
      // The pointer moves along the lane until the card beside it shows the words.
      const card = host.strip.getByText("line 1 of many", { exact: true });
      for (let x = box.x + 2; !(await card.isVisible()) && x < box.x + box.width; x += 4) {
        await host.page.mouse.move(x, box.y + box.height / 2);
      }
      await host.page.mouse.down();
      await host.page.mouse.up();
      await first.waitFor();
      await lanes.focus();
      await lanes.press("End");
      await lanes.press("Enter");
      await host.utterance("line 24 of many").waitFor();
    });
  });
});
