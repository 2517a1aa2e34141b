// A person on the page, a person at a NeMo client, an Open Floor agent and a NeMo workflow in one conversation.
import { createNemoAgent } from "@plenary/agents";
import { createDialler, listen } from "@plenary/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { openClient } from "../nemo/stock-client.ts";
import type { Workflow } from "../nemo/stock-run.ts";
import { startStockServer } from "../nemo/stock-server.ts";
import { isMissing } from "../support/chromium.ts";
import { utterance } from "../support/envelopes.ts";
import { startScriptedAgent } from "../support/scripted-agent.ts";
import { type Person, patience } from "./person.ts";
import { usePageFloor } from "./use-page-floor.ts";

const options = [
  { id: "sea", label: "The sea", value: "sea", description: "warm and wide" },
  { id: "hills", label: "The hills", value: "hills", description: "cool and quiet" },
];

/** Plans a holiday, and asks where to. */
const planner: Workflow = async (run) => {
  const name = run.payload.user?.name ?? "somebody";
  if (!run.text.includes("holiday")) return run.say(`The planner has heard ${name}.`);
  const tool = run.step("Tool: calendar", "**Input:**");
  const where = await run.ask({ input_type: "radio", text: `Where to, ${name}?`, options });
  run.step("Tool: calendar", "**Output:**", { id: tool });
  run.say(`${name} goes to `);
  run.say(`the ${where}.`);
};

describe.skipIf(isMissing)("a NeMo client and a NeMo workflow beside the page", () => {
  const shared = usePageFloor();

  async function startPlanner() {
    const stock = await startStockServer(planner);
    const dialler = createDialler({ mode: "local" });
    const troubles: unknown[] = [];
    const onError = (error: unknown) => troubles.push(error);
    const agent = createNemoAgent({ url: stock.url, name: "Planner", dialler, onError });
    const { url, close } = await listen(agent, { port: 0 });
    onTestFinished(async () => {
      await close();
      agent.close();
      await dialler.close();
      await stock.close();
    });
    return { url, stock, troubles };
  }

  /** Answers when its name is mentioned, and keeps each utterance. */
  async function startParrot() {
    const heard: string[] = [];
    const parrot = await startScriptedAgent({
      name: "Parrot",
      onUtterance(cue) {
        heard.push(cue.text);
        if (!cue.text.includes("Parrot")) return cue.answer();
        return cue.answer(utterance(parrot.speakerUri, "The parrot is awake."));
      },
    });
    return { ...parrot, heard };
  }

  /** Joins by a link that was made on the page, without a browser. */
  async function comeAsNemo(host: Person, conversation: string, name: string) {
    await host.page.getByRole("button", { name: "Invite", exact: true }).first().click();
    const dialog = host.page.getByRole("dialog", { name: "Invite" });
    await dialog.getByRole("tab", { name: "A person" }).click();
    await dialog.getByRole("button", { name: "Make a link" }).click();
    const link = await dialog.getByLabel("The link, shown only now").inputValue();
    await dialog.getByRole("button", { name: "Close" }).click();
    const invite = link.slice(link.indexOf("#invite=") + "#invite=".length);
    const { token } = await shared.floor.must("POST", "/api/v1/guests", { invite, name });
    const headers = { authorization: `Bearer ${token}` };
    const client = await openClient({ url: shared.floor.url, conversation, headers });
    onTestFinished(client.close);
    return client;
  }

  test("each of the four is heard by the three others, and private utterances stay private", async () => {
    const [flow, parrot] = [await startPlanner(), await startParrot()];
    const conversation = await shared.floor.begin({ agents: [parrot, flow] });
    const host = await shared.floor.openAsHost(conversation);
    const nina = await comeAsNemo(host, conversation, "Nina");
    await host.sees("Nina came in");
    const requests = () => JSON.stringify(flow.stock.asked());

    // The person on the page speaks and mentions the agent.
    await host.say("Good morning, Parrot");
    await host.utterances("Parrot").getByText("The parrot is awake.").waitFor();

    // The person at the NeMo client speaks to the workflow, which asks only this person back.
    nina.say("@Planner plan my holiday");
    const dialog = await nina.dialog();
    expect(JSON.stringify(dialog)).toContain("Where to, Nina?");
    await host.utterances("Nina").getByText("plan my holiday").waitFor();
    nina.reply("sea");
    const answer = await nina.done();
    expect(answer.text).toContain("Nina goes to the sea.");
    // What was said before this client's first utterance comes with its first answer.
    expect(answer.text).toMatch(/Good morning, Parrot.*The parrot is awake\..*Nina goes to the sea\./su);
    for (const words of ["Host: Good morning, Parrot", "Parrot: The parrot is awake.", "plan my holiday"])
      expect(requests()).toContain(words);

    // The page shows a question to its person, who answers with a click.
    await host.mention("Planner", "plan a holiday for me");
    const group = host.log.getByRole("group", { name: "Where to, Host?" });
    await group.getByRole("radio", { name: "The hills" }).check();
    await group.getByRole("button", { name: "Answer" }).click();
    await host.utterances("Planner").getByText("Host goes to the hills.").waitFor();

    // A whisper of each to the workflow.
    await host.whisper("Planner", "the host's own secret");
    await host.utterances("Planner, privately to you").getByText("The planner has heard Host.").waitFor();
    const whispered = await nina.ask("the guest's own secret", { to: "Planner", private: true });
    expect(whispered.text).toContain("The planner has heard Nina.");

    // The workflow speaks to everyone.
    const last = await nina.ask("@Planner and farewell");
    expect(last.text).toContain("The planner has heard Nina.");
    await host.utterances("Nina").getByText("and farewell").waitFor();
    await host.utterances("Planner").getByText("The planner has heard Nina.").waitFor();
    await expect.poll(() => parrot.heard.join("\n"), patience).toContain("The planner has heard Nina.");

    const ofHost = [await host.page.content(), ...host.frames()].join("\n");
    for (const words of ["the guest's own secret", "Where to, Nina?", "to the sea"])
      expect(ofHost).not.toContain(words);
    const ofNina = JSON.stringify(nina.frames);
    for (const words of ["the host's own secret", "Where to, Host?", "to the hills"])
      expect(ofNina).not.toContain(words);
    expect(parrot.heard.join("\n")).not.toMatch(/secret|Where to/u);
    // The workflow received both whispers, but gets neither of them as input for a public answer.
    expect(JSON.stringify(flow.stock.asked().at(-1))).not.toContain("secret");
    expect(nina.shown.faults).toEqual([]);
    expect(flow.stock.ignored()).toEqual([]);
    expect(flow.troubles).toEqual([]);
  });
});
