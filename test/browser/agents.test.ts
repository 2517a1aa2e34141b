// Agents that crash, that never stop or that answer each other without end, as people see them on the page.
import { describe, expect, test } from "vitest";
import { isMissing } from "../support/chromium.ts";
import { utterance } from "../support/envelopes.ts";
import { startScriptedAgent } from "../support/scripted-agent.ts";
import { createGate } from "../support/wait-for.ts";
import { patience } from "./person.ts";
import { usePageFloor } from "./use-page-floor.ts";

describe.skipIf(isMissing)("an agent", () => {
  const shared = usePageFloor();

  test("that is mentioned by name is the one that answers, and everyone sees the answer", async () => {
    const polite = async (name: string) => {
      const agent = await startScriptedAgent({
        name,
        onUtterance(cue) {
          const isMeant = cue.events.some(({ to }) => to?.speakerUri === agent.speakerUri);
          return isMeant ? cue.answer(utterance(agent.speakerUri, `${name} at your service.`)) : cue.answer();
        },
      });
      return agent;
    };
    const agents = [await polite("Clerk"), await polite("Usher")];
    const conversation = await shared.floor.begin({ agents });
    const host = await shared.floor.openAsHost(conversation);
    const gus = await shared.floor.openAsGuest("Gus", conversation);
    await host.mention("Usher", "where is my seat?");
    await gus.utterances("Host, to Usher").getByText("where is my seat?").waitFor();
    await gus.utterances("Usher").getByText("Usher at your service.").waitFor();
    await host.say("and now all of you");
    await gus.sees("and now all of you");
    expect(await gus.utterance("Clerk at your service.").count()).toBe(0);
  });

  test("that crashes is shown to have missed the utterance, and answers again after its restart", async () => {
    const clerk = await startScriptedAgent({
      name: "Clerk",
      onUtterance: (cue) => cue.answer(utterance(clerk.speakerUri, `I wrote down: ${cue.text}`)),
    });
    const host = await shared.floor.openAsHost(await shared.floor.begin({ agents: [clerk] }));
    await host.say("the first thing");
    await host.utterances("Clerk").getByText("I wrote down: the first thing").waitFor();
    await clerk.die();
    await host.say("the second thing");
    await host.conversant("Clerk").getByText("did not answer once").waitFor();
    await clerk.comeBack();
    await host.say("the third thing");
    await host.utterances("Clerk").getByText("I wrote down: the third thing").waitFor();
    await host.conversant("Clerk").getByText("did not answer once").waitFor({ state: "detached" });
  });

  test("that never ends its answer is stopped by a button, and nothing that it sends later is shown", async () => {
    const wasCut = createGate();
    const talker = await startScriptedAgent({
      name: "Talker",
      async onUtterance(cue) {
        if (cue.text !== "talk") return cue.answer(utterance(talker.speakerUri, "I can be brief, too."));
        const answer = cue.stream();
        answer.write("And furthermore");
        await cue.cut;
        answer.finish("And furthermore, for ever.");
        wasCut.open();
      },
    });
    const conversation = await shared.floor.begin({ agents: [talker] });
    const host = await shared.floor.openAsHost(conversation);
    await host.say("talk");
    await host.log.getByRole("article", { name: "Talker is answering" }).getByText("And furthermore").waitFor();
    await host.form.getByRole("button", { name: "Stop" }).click();
    await wasCut.opened;
    await host.page.getByRole("status").getByText("The agents were paused. A person pressed Stop.").waitFor();
    await host.utterance("And furthermore").waitFor({ state: "detached" });
    // The same answer once more: the agent did not notice that its connection had closed.
    const late = utterance(talker.speakerUri, "And furthermore, for ever.", { id: "late" });
    const sender = { speakerUri: talker.speakerUri };
    const openFloor = { schema: { version: "1.1.0" }, conversation: { id: conversation }, sender, events: [late] };
    await shared.floor.must("POST", "/openfloor", { openFloor });
    await host.say("be brief");
    await host.utterances("Talker").getByText("I can be brief, too.").waitFor();
    expect(await host.utterance("for ever").count()).toBe(0);
    await host.page.getByRole("status").getByText("The agents were paused").waitFor({ state: "detached" });
  });

  test("that answers another agent without end is paused with it, until a person lets them continue", async () => {
    let said = 0;
    const quarrel = async (name: string) => {
      const agent = await startScriptedAgent({
        name,
        onUtterance: (cue) => cue.answer(utterance(agent.speakerUri, `No, ${name} says so for the ${++said}th time.`)),
      });
      return agent;
    };
    const agents = [await quarrel("Ping"), await quarrel("Pong")];
    const host = await shared.floor.openAsHost(await shared.floor.begin({ agents }));
    await host.say("what do you think?");
    const pause = host.page.getByRole("status").filter({ hasText: "The agents were paused." });
    await pause.getByText("Answers to answers went on too long.").waitFor();
    const before = said;
    await pause.getByRole("button", { name: "Resume" }).click();
    await host.sees("You let the agents go on");
    await host.say("go on, then");
    await expect.poll(() => said, patience).toBeGreaterThan(before);
    await host.utterances("Pong").last().waitFor();
  });
});
