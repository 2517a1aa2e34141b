// One person, one stock NeMo client, one conversation: from the first message to the last.
import { beforeAll, expect, test } from "vitest";
import { useNemoFloor } from "./nemo-floor.ts";
import { asking, chosenBy } from "./questions.ts";
import { type Cue, type ScriptedAgent, stepsFeature } from "./scripted-agents.ts";

const nemo = useNemoFloor();
let researcher: ScriptedAgent;
let critic: ScriptedAgent;

/** Asks on "ask", and works on every other utterance until the test continues it. */
const research = (cue: Cue): unknown => {
  if (/^ask /u.test(cue.text) || cue.chosen !== undefined) return asking(cue);
  if (cue.text === "break") return cue.fail(500, "the library burns");
  return undefined;
};

/** Works only in the turns that are written below, and is silent in the others. */
const criticise = (cue: Cue): unknown => (cue.text.startsWith("research") ? undefined : cue.answer());

beforeAll(async () => {
  researcher = await nemo.agents.start("Researcher", research);
  critic = await nemo.agents.start("Critic", criticise);
});

const cueOf = async ({ cues }: ScriptedAgent, text: string): Promise<Cue> => {
  const found = (await cues.until((all) => all.some((cue) => cue.text === text), text)).find(
    (cue) => cue.text === text,
  );
  if (found === undefined) throw new Error(text);
  return found;
};

test("a person with the stock client can use all features of a floor", async () => {
  const client = await nemo.floor.visit({ agents: [researcher, critic] });

  // The first message of a new conversation invites two agents, and both stream their answers.
  client.say("research the moon");
  const hers = (await cueOf(researcher, "research the moon")).stream();
  hers.write("The moon ");
  await client.sees("The moon ");
  const his = (await cueOf(critic, "research the moon")).stream();
  his.write("Says who?");
  his.finish("Says who?");
  hers.write("is far away.");
  const steps = stepsFeature(
    { id: "search", name: "Function Start: search", payload: "the moon" },
    { id: "calc", parent: "search", name: "Tool: calc", payload: "384400 km" },
  );
  hers.finish("The moon is far away.", { features: steps });
  const first = await client.done();
  const shown = first.text.trim().replaceAll(/\s+/gu, " ");
  expect(shown).toBe("**Researcher:** The moon is far away. **Critic:** Says who?");

  // Their steps are shown beside the text, each under its parent.
  const search = first.steps.find(({ name }) => name.endsWith("search"));
  expect(first.steps.find(({ name }) => name.endsWith("calc"))).toMatchObject({ parent: search?.id });
  expect(first.steps.map(({ name }) => name).join()).toContain("Researcher joined");

  // Each kind of question is a dialog of this client, and the agent gets the answer.
  const answers = { text: "Ada", binary_choice: "continue", radio: "sms", checkbox: "1,2", dropdown: "push" };
  for (const [kind, reply] of Object.entries(answers)) {
    client.say(`ask ${kind}`);
    await client.dialog();
    client.reply(reply);
    expect((await client.done()).text).toContain("chosen: ");
  }
  expect(chosenBy(researcher)).toEqual([["Ada"], ["continue"], ["sms"], ["email", "sms"], ["push"]]);

  // A question without an answer in time closes with its reason, and the turn ends.
  client.say("ask text 1");
  await client.dialog();
  const late = await client.done();
  expect(late.errors.join()).toContain("TimeoutError");
  expect(late.text).toContain("Too late for that.");

  // The page is reloaded during a question: the question is shown again, and so is the next one.
  client.say("ask radio 60");
  await client.dialog();
  await client.reload();
  expect((await client.dialog()).content.timeout).toBeLessThanOrEqual(60);
  client.reply("email");
  expect((await client.done()).text).toContain("chosen: email");
  client.say("ask binary_choice");
  await client.dialog();
  client.reply("cancel");
  expect((await client.done()).text).toContain("chosen: cancel");

  // An agent fails, and the person sees the error.
  const broken = await client.ask("break");
  expect(broken.errors).toHaveLength(1);
  expect(broken.text).toContain("Researcher");

  // Feedback on the first answer is accepted as this client sends it: with its cookie and no other credential.
  const feedback = { observability_trace_id: first.trace, reaction_type: "👍", comment: "far indeed" };
  const thanked = await fetch(`${nemo.floor.url}/feedback`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie: `nemo-agent-toolkit-session=${client.session}` },
    body: JSON.stringify(feedback),
  });
  expect(thanked.status).toBe(200);
  expect(await thanked.json()).toBeTypeOf("object");
  const kept = await nemo.floor.get(`/api/v1/conversations/${client.conversation}/feedback`);
  expect(kept.text).toContain(first.trace);
  expect(kept.text).toContain("far indeed");

  // The second message stops the first one: the agent is aborted, and only the new answer comes.
  client.say("research everything");
  const endless = await cueOf(researcher, "research everything");
  endless.stream().write("First of all, ");
  await client.sees("First of all, ");
  client.say("research nothing");
  expect(await endless.cut).toBe(true);
  (await cueOf(researcher, "research nothing")).say("Done.");
  (await cueOf(critic, "research nothing")).answer();
  const last = await client.done();
  expect(last.text).toContain("Done.");
  expect(last.text).not.toContain("First of all");

  // The client dropped no frame, showed no toast, and was never stuck.
  expect(client.faults).toEqual([]);
});
