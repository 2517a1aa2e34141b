import { describe, expect, test } from "vitest";
import { utterance } from "../support/envelopes.ts";
import { startScriptedAgent } from "../support/scripted-agent.ts";
import { createGate } from "../support/wait-for.ts";
import { parrot, times, useChatFloor } from "./chat-floor.ts";
import { isMissing, openPane } from "./tmux.ts";

const { place } = useChatFloor();

describe.skipIf(isMissing)("in a terminal", () => {
  test("a person invites an agent, asks it something, and removes it", async () => {
    const agent = await parrot("Parrot");
    const pane = await openPane(["chat"], { cwd: place.folder });
    await pane.until(/^> $/mu);
    await pane.type("/inv");
    await pane.press("Tab");
    await pane.until(/^> \/invite $/mu);
    await pane.enter(agent.url);
    const joined = await pane.until(/● You {2}● Parrot/u);
    expect(joined).toMatch(/^· You invited /mu);
    await pane.enter("good morning");
    const answered = await pane.until("Parrot heard: good morning");
    expect(answered).toMatch(/^You {2}good morning$/mu);
    await pane.enter("/uninvite par too loud");
    await pane.until("You removed Parrot (too loud)");
    await pane.until(/^● You {2}Terminal, .+$/mu);
  });

  test("a whisper is marked as a whisper, and no other conversant gets it", async () => {
    const [ann, bob] = [await parrot("Ann"), await parrot("Bob")];
    const pane = await openPane(["chat", ann.url, bob.url], { cwd: place.folder });
    await pane.until(/● Ann {2}● Bob/u);
    await pane.type("/w a");
    await pane.press("Tab");
    await pane.until(/^> \/w Ann $/mu);
    await pane.enter("the code is 4711");
    const whispered = await pane.until("Ann heard: the code is 4711");
    expect(whispered).toContain("You (private, to Ann)  the code is 4711");
    await pane.enter("@Bob are you there?");
    await pane.until("Bob heard: @Bob are you there?");
    expect(bob.heard.map(({ text }) => text)).not.toContain("the code is 4711");
  });

  test("a mistyped whisper is not sent to everyone: it comes back with a hint", async () => {
    const ann = await parrot("Ann");
    const pane = await openPane(["chat", ann.url], { cwd: place.folder });
    await pane.until("● Ann");
    await pane.enter("/whsper Ann the code is 4711");
    const shown = await pane.until("did you mean /whisper?");
    expect(shown).toMatch(/^> \/whsper Ann the code is 4711$/mu);
    await pane.press("C-u");
    await pane.enter("/whisper Nobody psst");
    await pane.until("There is no participant Nobody. Participants: Ann.");
    expect(ann.heard).toEqual([]);
  });

  test("a refused utterance comes back into the field, with a remedy", async () => {
    const ann = await parrot("Ann");
    const pane = await openPane(["chat", ann.url], { cwd: place.folder });
    await pane.until("● Ann");
    await pane.enter("/yield");
    await pane.until(/○ You/u);
    await pane.enter("can you hear me");
    const refused = await pane.until("Not sent: floor not granted: /request asks for it");
    expect(refused).toMatch(/^> can you hear me$/mu);
    await pane.press("C-u");
    await pane.enter("/request");
    await pane.until(/● You/u);
    // The text that was typed before is available again.
    await pane.press("Up", "Up", "Enter");
    const heard = await pane.until("Ann heard: can you hear me");
    expect(times(heard, "You  can you hear me")).toBe(1);
  });

  test("utterances of others do not disturb the text that is being typed", async () => {
    const gate = createGate();
    const agent = await startScriptedAgent({
      name: "Slow",
      onUtterance: async (cue) => {
        await gate.opened;
        cue.answer(utterance(agent.speakerUri, "a late answer"));
      },
    });
    const pane = await openPane(["chat", agent.url], { cwd: place.folder });
    await pane.until("● Slow");
    await pane.enter("take your time");
    await pane.until("● Slow thinking …");
    await pane.type("half a sentence, café 日本");
    await pane.press("Left", "Left");
    gate.open();
    await pane.until("a late answer");
    await pane.type("|");
    const screen = await pane.until("café |日本");
    expect(times(screen, "half a sentence")).toBe(1);
    expect(await pane.ask("#{cursor_x}")).toBe(String("> half a sentence, café |".length));
  });

  test("a question with choices is answered by a number, and its agent gets the value", async () => {
    const replies: unknown[] = [];
    const tea = {
      id: "q1",
      input_type: "radio",
      text: "Which tea?",
      options: [
        { id: "g", label: "Green tea", value: "green" },
        { id: "b", label: "Black tea", value: "black" },
      ],
    };
    const agent = await startScriptedAgent({
      name: "Waiter",
      onUtterance: (cue) => {
        const reply = cue.features.interactionReply?.tokens[0]?.value;
        if (reply !== undefined) replies.push(reply);
        const feature = { mimeType: "application/vnd.plenary.interaction+json", tokens: [{ value: tea }] };
        const question = utterance(agent.speakerUri, "Which tea?", { features: { interaction: feature } });
        cue.answer(reply === undefined ? question : utterance(agent.speakerUri, "It comes at once."));
      },
    });
    const pane = await openPane(["chat", agent.url], { cwd: place.folder });
    await pane.until("● Waiter");
    await pane.enter("I am thirsty");
    await pane.until("answer>");
    // The line of the transcript waits for the name of its speaker.
    const asked = await pane.until("2. Black tea");
    expect(asked).toMatch(/ 1\. Green tea$/mu);
    expect(asked).toMatch(/ 2\. Black tea$/mu);
    await pane.enter("3");
    await pane.until("Choose a number from 1 to 2.");
    await pane.press("C-u");
    await pane.enter("2");
    const answered = await pane.until("It comes at once.");
    expect(answered).toContain("Black tea");
    expect(answered).not.toContain("answer>");
    expect(replies).toEqual([{ id: "q1", values: ["black"] }]);
  });

  test("Ctrl+C stops an answer in progress, and a second Ctrl+C without an answer leaves", async () => {
    const cut = createGate();
    const agent = await startScriptedAgent({
      name: "Talker",
      onUtterance: (cue) => {
        cue.stream().write("Once upon a time there was");
        void cue.cut.then(cut.open);
      },
    });
    const pane = await openPane(["chat", agent.url], { cwd: place.folder });
    await pane.until("● Talker");
    await pane.enter("tell me a story");
    await pane.until("Once upon a time there was▍");
    await pane.press("C-c");
    await pane.until("You pressed Stop");
    await cut.opened;
    await pane.until((text) => !/▍|Talker (?:thinking )?…/u.test(text));
    await pane.press("C-c");
    await pane.until("Press Ctrl+C again to leave");
    await pane.press("C-c");
    await pane.until("Come back with: plenary chat --conversation");
  });

  test("/stop ends an answer in progress, and /resume lets the agents continue", async () => {
    const agent = await startScriptedAgent({
      name: "Talker",
      onUtterance: (cue) => cue.stream().write("Once upon a time there was"),
    });
    const pane = await openPane(["chat", agent.url], { cwd: place.folder });
    await pane.until("● Talker");
    await pane.enter("tell me a story");
    await pane.until("Once upon a time there was▍");
    await pane.enter("/stop");
    await pane.until("stopped: speak, or /resume");
    await pane.enter("/resume");
    await pane.until("You let the agents go on");
    await pane.until((text) => !text.includes("stopped: speak"));
  });
});
