// A prompt of a workflow is a question (D31) to the person it works for only.
import { expect, test } from "vitest";
import { ann, bob } from "../support/envelopes.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Bridge, startBridgeFloor } from "./bridge-floor.ts";
import type { Prompt, Workflow } from "./stock-run.ts";
import type { StockMessage } from "./stock-shapes.ts";

const options = [
  { id: "email", label: "E-mail", value: "email", description: "to your address" },
  { id: "sms", label: "Text", value: "sms", description: "to your telephone" },
  { id: "push", label: "Push Notification", value: "push", description: "default" },
];

const asking =
  (prompt: Prompt): Workflow =>
  async (run) =>
    run.say(`You chose ${await run.ask(prompt)}.`);

/** The texts that reached the server. */
function replied({ stock }: Bridge): string[] {
  return stock.replies().map(({ content }) => {
    const { messages } = content as { messages: StockMessage[] };
    return messages.flatMap((message) => message.content.map(({ text }) => text)).join("|");
  });
}

type Way = (at: Bridge, question: Awaited<ReturnType<Bridge["asked"]>>) => Promise<unknown>;

const choosing =
  (...values: string[]): Way =>
  (at, question) =>
    at.choose(ann, question, values);
const saying =
  (text: string): Way =>
  (at) =>
    at.ask(ann, text, { isWhisper: true });

const prompts: [string, Prompt, [string, Way, string][]][] = [
  [
    "text",
    { input_type: "text", text: "Your name?", placeholder: "Ada", required: true },
    [
      ["by choosing", choosing("Ada L."), "Ada L."],
      ["in plain words", saying("Ada Lovelace"), "Ada Lovelace"],
    ],
  ],
  [
    "binary_choice",
    { input_type: "binary_choice", text: "Go on?", options: options.slice(0, 2) },
    [
      ["by choosing", choosing("sms"), "sms"],
      ["by number", saying("1"), "email"],
    ],
  ],
  [
    "radio",
    { input_type: "radio", text: "How?", options },
    [
      ["by number", saying("3"), "push"],
      ["by label", saying("push notification"), "push"],
    ],
  ],
  ["dropdown", { input_type: "dropdown", text: "Which?", options }, [["by label", saying("Text"), "sms"]]],
  [
    "checkbox",
    { input_type: "checkbox", text: "Which ones?", options },
    [
      ["by choosing", choosing("email"), "email"],
      ["by numbers", saying("1, 3"), "email, push"],
    ],
  ],
];

const ways = prompts.flatMap(([kind, prompt, each]) =>
  each.map(([how, way, value]): [string, string, Prompt, Way, string] => [kind, how, prompt, way, value]),
);

test.each(ways)("a %s prompt is shown to the asker only, and answered %s", async (kind, _how, prompt, way, value) => {
  const at = await startBridgeFloor(asking(prompt));
  await at.invite();
  await at.ask(ann, "start");
  const question = await at.asked(ann);
  expect(question).toMatchObject({ input_type: kind, text: prompt.text });
  expect(question.options ?? []).toEqual(
    (prompt.options ?? []).map(({ label, value: own }) => expect.objectContaining({ label, value: own })),
  );
  await way(at, question);
  await at.sees(ann, `Flow (private): You chose ${value}.`);
  expect(replied(at)).toEqual([value]);
  expect(await at.questions(bob)).toEqual([]);
  const seen = (await at.lines(bob)).join("\n");
  for (const words of [prompt.text, "You chose"]) expect(seen).not.toContain(words);
});

test("a public answer to a question is answered in public", async () => {
  const at = await startBridgeFloor(asking({ input_type: "radio", text: "How?", options }));
  await at.invite();
  await at.ask(ann, "start");
  await at.asked(ann);
  await at.ask(ann, "push notification");
  await at.sees(bob, "Flow: You chose push.");
  expect(replied(at)).toEqual(["push"]);
});

test("options whose values are not strings can be chosen too", async () => {
  const numbers = [
    { id: "a", label: "Yes", value: true },
    { id: "b", label: "No", value: 7 },
  ];
  const at = await startBridgeFloor(asking({ input_type: "binary_choice", text: "Sure?", options: numbers }));
  await at.invite();
  await at.ask(ann, "start");
  const question = await at.asked(ann);
  for (const { value } of question.options ?? []) expect(typeof value).toBe("string");
  await saying("No")(at, question);
  await at.sees(ann, "Flow (private): You chose 7.");
});

test("an answer that is not one of the options is not sent, and the question is asked again", async () => {
  const at = await startBridgeFloor(asking({ input_type: "radio", text: "How?", options }));
  await at.invite();
  await at.ask(ann, "start");
  await at.asked(ann);
  await saying("by pigeon")(at, await at.asked(ann));
  const again = await at.asked(ann, 2);
  expect(replied(at)).toEqual([]);
  await choosing("sms")(at, again);
  await at.sees(ann, "Flow (private): You chose sms.");
  expect(replied(at)).toEqual(["sms"]);
});

test.each([
  // The answer to a whisper is private as a whole.
  ["shared: what somebody else says meanwhile is no answer", true, "Flow (private): Later."],
  ["what somebody else says meanwhile is no answer", false, "Flow: Later."],
])("%s", async (_, sharedSession, later) => {
  const at = await startBridgeFloor(
    async (run) =>
      run.say(
        run.text.includes("start") ? `You chose ${await run.ask({ input_type: "text", text: "How?" })}.` : "Later.",
      ),
    { bridge: { sharedSession } },
  );
  await at.invite();
  await at.ask(ann, "start");
  const question = await at.asked(ann);
  await at.ask(bob, "sms");
  await at.say(bob, "sms");
  await choosing("email")(at, question);
  await at.sees(ann, "Flow (private): You chose email.");
  await at.sees(bob, later);
  expect(replied(at)).toEqual(["email"]);
  expect(at.stock.cancelled()).toBe(0);
});

test("several questions of one run are asked one after the other", async () => {
  const at = await startBridgeFloor(async (run) => {
    run.say("Let me see.");
    const one = await run.ask({ input_type: "text", text: "One?" });
    const two = await run.ask({ input_type: "radio", text: "Two?", options });
    run.say(`${one} and ${two}`);
  });
  await at.invite();
  await at.ask(ann, "start");
  await at.choose(ann, await at.asked(ann), ["uno"]);
  await at.sees(bob, "Flow: Let me see.");
  await at.choose(ann, await at.asked(ann, 2), ["push"]);
  await at.sees(ann, "Flow (private): uno and push");
  expect(replied(at)).toEqual(["uno", "push"]);
  await waitFor(() => at.stock.running().length === 0, "the end of the run");
});

test("an asker that speaks again during a question cancels the question, and is answered", async () => {
  const at = await startBridgeFloor(async (run) =>
    run.say(run.text.includes("start") ? await run.ask({ input_type: "radio", text: "How?", options }) : "On air."),
  );
  await at.invite();
  await at.ask(ann, "@Flow start");
  await at.asked(ann);
  await at.ask(ann, "@Flow radio");
  await at.sees(bob, "Flow: On air.");
  await at.sees(ann, /^Flow \(private\): I dropped my question/u);
  expect(replied(at)).toEqual([]);
});

test("a prompt without an answer in time ends by itself, and only the asker sees the result of the workflow", async () => {
  const at = await startBridgeFloor(async (run) => {
    const answer = await run.ask({ input_type: "text", text: "Your name?", timeout: 1 }).catch(() => "nobody");
    run.say(`I go on for ${answer}.`);
  });
  await at.invite();
  await at.ask(ann, "start");
  await at.asked(ann);
  await at.sees(ann, "Flow (private): I go on for nobody.");
  expect((await at.lines(bob)).join()).not.toContain("nobody");
  expect(replied(at)).toEqual([]);
});
