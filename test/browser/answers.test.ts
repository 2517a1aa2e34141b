// An agent streams its answer or asks a question, and the page may be reloaded meanwhile.
import { describe, expect, test } from "vitest";
import { isMissing } from "../support/chromium.ts";
import { utterance } from "../support/envelopes.ts";
import { type Cue, startScriptedAgent } from "../support/scripted-agent.ts";
import { createGate } from "../support/wait-for.ts";
import type { Person } from "./person.ts";
import { usePageFloor } from "./use-page-floor.ts";

const story = "Once upon a time there was an end.";

/** Streams a story in two halves; the second half waits for the gate. */
async function startTeller() {
  const secondHalf = createGate();
  const teller = await startScriptedAgent({
    name: "Teller",
    async onUtterance(cue) {
      if (cue.text === "thank you") return cue.answer();
      const answer = cue.stream();
      for (const word of ["Once ", "upon ", "a ", "time "]) answer.write(word);
      await secondHalf.opened;
      for (const word of ["there ", "was ", "an ", "end."]) answer.write(word);
      answer.finish(story);
    },
  });
  return { ...teller, goOn: secondHalf.open };
}

describe.skipIf(isMissing)("while an agent answers", () => {
  const shared = usePageFloor();
  const ofTeller = (person: Person) => person.log.getByRole("article", { name: "Teller" });
  const draftOf = (person: Person) => person.log.getByRole("article", { name: "Teller is answering" });

  test("the page shows the first half as it arrives, and after a reload the whole answer once", async () => {
    const teller = await startTeller();
    const host = await shared.floor.openAsHost(await shared.floor.begin({ agents: [teller] }));
    await host.say("tell me a story");
    await draftOf(host).getByText("Once upon a time").waitFor();
    await host.page.reload();
    await host.utterances("You").getByText("tell me a story").waitFor();
    teller.goOn();
    await host.utterances("Teller").getByText(story).waitFor();
    expect(await ofTeller(host).count()).toBe(1);
    await host.page.reload();
    await host.utterances("Teller").getByText(story).waitFor();
    expect(await ofTeller(host).count()).toBe(1);
    expect(await host.utterance("tell me a story").count()).toBe(1);
  });

  test("the page shows the agent as thinking until its first words arrive", async () => {
    const [firstWords, end] = [createGate(), createGate()];
    const thinker = await startScriptedAgent({
      name: "Thinker",
      async onUtterance(cue) {
        await firstWords.opened;
        const answer = cue.stream();
        answer.write("Well, ");
        await end.opened;
        answer.finish("Well, yes.");
      },
    });
    const host = await shared.floor.openAsHost(await shared.floor.begin({ agents: [thinker] }));
    await host.say("is it so?");
    await host.conversant("Thinker").getByText("thinking …").waitFor();
    firstWords.open();
    await host.conversant("Thinker").getByText("answering …").waitFor();
    end.open();
    await host.utterances("Thinker").getByText("Well, yes.").waitFor();
  });

  test("the page shows its steps as one line that unfolds as plain text, and announces none of them", async () => {
    const [search, end] = [createGate(), createGate()];
    const finder = await startScriptedAgent({
      name: "Finder",
      async onUtterance(cue) {
        const answer = cue.stream();
        answer.step({ id: "1", title: "Running the workflow ...", state: "running" });
        answer.step({
          id: "2",
          parent: "1",
          title: "Searching <b>flights</b> ...",
          detail: "<i>LHR</i>",
          state: "running",
        });
        await search.opened;
        answer.step({ id: "2", parent: "1", title: "Searching <b>flights</b> ...", detail: "3 found", state: "done" });
        await end.opened;
        answer.finish("Three flights.");
      },
    });
    const host = await shared.floor.openAsHost(await shared.floor.begin({ agents: [finder] }));
    await host.page.evaluate(listen);
    await host.say("flights?");
    const draft = host.log.getByRole("article", { name: "Finder is answering" });
    await draft.getByText("Searching <b>flights</b> ...").first().click();
    const step = draft.getByRole("listitem").getByRole("listitem");
    await step.getByText("Searching <b>flights</b> ...").click();
    await step.getByText("<i>LHR</i>").waitFor();
    expect(await step.getByRole("img", { name: "running" }).count()).toBe(1);
    search.open();
    await step.getByText("3 found").waitFor();
    expect(await step.getByRole("img", { name: "done" }).count()).toBe(1);
    // The line shows the step that is still running.
    expect(await draft.locator("summary").first().textContent()).toBe("Running the workflow ...");
    end.open();
    await host.utterances("Finder").getByText("Three flights.").waitFor();
    expect(await host.log.getByText("Searching").count()).toBe(0);
    const heard = (await host.page.evaluate("heard")) as string[];
    expect(heard.filter((one) => /Search|Running/u.test(one))).toEqual([]);
  });

  test("a screen reader announces that it is answering, then the finished text, and nothing between", async () => {
    const teller = await startTeller();
    const conversation = await shared.floor.begin({ agents: [teller] });
    const ann = await shared.floor.openAsGuest("Ann", conversation);
    const gus = await shared.floor.openAsGuest("Gus", conversation);
    await ann.conversant("Gus").waitFor();
    await ann.page.evaluate(listen);
    await gus.say("tell us a story");
    await draftOf(ann).getByText("Once upon a time").waitFor();
    teller.goOn();
    await ann.page.getByRole("status").getByText(`Teller: ${story}`).waitFor();
    await gus.say("thank you");
    await ann.page.getByRole("status").getByText("Gus: thank you").waitFor();
    const heard = (await ann.page.evaluate("heard")) as string[];
    expect(heard.filter((one) => !one.startsWith("Gus"))).toEqual(["Teller is answering", `Teller: ${story}`]);
    expect(heard.filter((one) => one.startsWith("Gus: "))).toEqual(["Gus: tell us a story", "Gus: thank you"]);
    expect(await ofTeller(ann).count()).toBe(1);
    expect(await ann.log.getAttribute("aria-live")).toBe("off");
  });

  describe("a question that it asks", () => {
    async function seated(interaction: Record<string, unknown>) {
      const asker = await startAsker(interaction);
      const conversation = await shared.floor.begin({ agents: [asker] });
      return { asker, conversation, host: await shared.floor.openAsHost(conversation) };
    }

    test("is still open after a reload, keeps the typed text, and accepts the answer", async () => {
      const text = "What shall I call you?";
      const { asker, host } = await seated({ input_type: "text", text });
      await host.say("ask me something");
      const answer = host.log.getByRole("textbox", { name: text });
      await answer.fill("Eliz");
      await host.page.reload();
      await answer.waitFor();
      expect(await answer.inputValue()).toBe("Eliz");
      await answer.press("End");
      await answer.pressSequentially("abeth");
      await host.log.getByRole("button", { name: "Answer" }).click();
      await host.sees("You answered Elizabeth");
      await host.sees("Thank you for your answer.");
      expect(asker.replies).toEqual([{ id: "q1", values: ["Elizabeth"] }]);
    });

    test("is announced above the composer, offers its choices, and waits for its addressee only", async () => {
      const options = [
        { id: "t", label: "Tea", value: "tea" },
        { id: "c", label: "Coffee", value: "coffee", description: "black" },
      ];
      const { asker, conversation, host } = await seated({ input_type: "radio", text: "Tea or coffee?", options });
      const gus = await shared.floor.openAsGuest("Gus", conversation);
      await host.say("ask me something");
      const dock = host.page.getByRole("region", { name: "A question for you" });
      await dock.getByText("Asker asks: Tea or coffee?").waitFor();
      await gus.sees("Waiting for Host to answer");
      expect(await gus.page.getByRole("region", { name: "A question for you" }).count()).toBe(0);
      await dock.getByRole("button", { name: "Answer" }).click();
      const group = host.log.getByRole("group", { name: "Tea or coffee?" });
      await group.getByRole("radio", { name: "Coffee" }).check();
      await host.page.reload();
      await group.waitFor();
      expect(await group.getByRole("radio", { name: "Coffee" }).isChecked()).toBe(true);
      await group.getByRole("button", { name: "Answer" }).click();
      await host.sees("You answered Coffee");
      await dock.waitFor({ state: "detached" });
      expect(asker.replies).toEqual([{ id: "q1", values: ["coffee"] }]);
    });

    test("is shown as lapsed after its deadline, and accepts no answer", async () => {
      const text = "Quick, what is six times seven?";
      const { host } = await seated({ input_type: "text", text, timeout: 2, error: "Too late: it was 42." });
      await host.say("ask me something");
      await host.sees("Too late: it was 42.");
      expect(await host.log.getByRole("textbox", { name: text }).isDisabled()).toBe(true);
      await host.page.reload();
      await host.sees("Too late: it was 42.");
    });
  });
});

/** Records the changes of live regions. */
const listen = `
  globalThis.heard = [];
  const live = '[aria-live=polite], [aria-live=assertive], [role=alert], [role=status], [role=log]:not([aria-live=off])';
  new MutationObserver((changes) => {
    const places = changes.map(({ target }) => (target.closest ? target : target.parentElement)?.closest(live));
    for (const place of new Set(places)) if (place?.textContent) heard.push(place.textContent);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
`;

const mimeType = "application/vnd.plenary.interaction+json";

/** Asks a question after each utterance, until it is answered. */
async function startAsker(interaction: Record<string, unknown>) {
  const replies: unknown[] = [];
  const asker = await startScriptedAgent({
    name: "Asker",
    onUtterance(cue: Cue) {
      const reply = cue.features.interactionReply?.tokens[0]?.value;
      if (reply !== undefined) {
        replies.push(reply);
        return cue.answer(utterance(asker.speakerUri, "Thank you for your answer."));
      }
      const features = { interaction: { mimeType, tokens: [{ value: { id: "q1", ...interaction } }] } };
      const to = { speakerUri: cue.from };
      return cue.answer(utterance(asker.speakerUri, String(interaction.text), { features, to }));
    },
  });
  return { ...asker, replies };
}
