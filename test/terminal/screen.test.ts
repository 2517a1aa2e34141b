import { describe, expect, test } from "vitest";
import { utterance } from "../support/envelopes.ts";
import { startScriptedAgent } from "../support/scripted-agent.ts";
import { parrot, times, useChatFloor } from "./chat-floor.ts";
import { isMissing, openPane } from "./tmux.ts";

const { place } = useChatFloor();

/** Clears, moves, colours, renames the window, queries the terminal, hides the rest, reverses the text. */
const hostile =
  "\u001b[2J\u001b[H\u001b[1;1Hpwned\u001b]0;pwned title\u0007\u001b[6n\u001bc\u009b2J\u001b[8m hidden\r over \u0008\u0008 \u202e desrever end";

describe.skipIf(isMissing)("in a terminal", () => {
  test("an utterance of an agent cannot control the terminal", async () => {
    const agent = await startScriptedAgent({
      name: "Mal\u001b[2Jlory",
      onUtterance: (cue) => cue.answer(utterance(agent.speakerUri, hostile)),
    });
    const pane = await openPane(["chat", agent.url], { cwd: place.folder });
    await pane.until(/● .*lory/u);
    const title = await pane.ask("#{pane_title}");
    await pane.enter("a line that must stay");
    const screen = await pane.until("desrever end");
    expect(screen).toContain("You  a line that must stay");
    for (const mark of ["\u001b", "\u009b", "\u202e"]) expect(screen).not.toContain(mark);
    expect(await pane.ask("#{pane_title}")).toBe(title);
    // The answer of a terminal to a query would have been typed into the field.
    expect(screen).toMatch(/^> $/mu);
  });

  test("a narrow terminal shows every word, also wide characters, and a resize loses nothing", async () => {
    const agent = await parrot("鸚鵡");
    const title = "Deliberations of the committee on tea";
    const pane = await openPane(["chat", agent.url, "--title", title], { cwd: place.folder, columns: 34, rows: 20 });
    await pane.until("● 鸚鵡");
    await pane.enter("日本語の文章はとても長いので折り返されます 👩‍👩‍👧‍👦 ok");
    const narrow = await pane.until(/heard:[\s\S]*ok/u);
    expect(narrow.replace(/\s+/gu, "")).toContain("heard:日本語の文章はとても長いので折り返されます");
    for (const row of narrow.split("\n")) expect(row.length).toBeLessThanOrEqual(34);
    await pane.type("a rather long line that needs more than one row here");
    await pane.until((text) => text.replace(/\s+/gu, "").includes("morethanonerowhere"));
    await pane.resize(90, 24);
    await pane.until(/^> a rather long line that needs more than one row here$/mu);
    await pane.resize(40, 24);
    // The row of conversants is now two rows: no part of the old row stays.
    const screen = await pane.until((text) => !text.includes("committe…") && text.includes("row here"));
    expect(times(screen, "a rather long line")).toBe(1);
    expect(times(screen, "● 鸚鵡")).toBe(1);
  });

  test("pasted text is one utterance of several lines, with any keys in it", async () => {
    const agent = await parrot("Parrot");
    const pane = await openPane(["chat", agent.url], { cwd: place.folder });
    await pane.until("● Parrot");
    await pane.paste("first line\nsecond line\tend");
    await pane.until("> first line⏎second line");
    expect(agent.heard).toEqual([]);
    await pane.press("Enter");
    await pane.until("Parrot heard: first line");
    expect(agent.heard.map(({ text }) => text)).toEqual(["first line\nsecond line  end"]);
  });

  test("with NO_COLOR the output has no colours", async () => {
    const agent = await parrot("Parrot");
    const pane = await openPane(["chat", agent.url], { cwd: place.folder, env: { NO_COLOR: "1" } });
    await pane.until("● Parrot");
    await pane.enter("hello **there**");
    await pane.until("Parrot heard: hello **there**");
    expect(await pane.coloured()).not.toContain("\u001b[");
  });

  test("the chat starts a floor of its own where none runs, and closes it", async () => {
    const pane = await openPane(["chat", "--store", "own.db"], { cwd: place.folder });
    const screen = await pane.until("● Guide");
    expect(screen).toContain("No floor was running, so this chat opened one");
    await pane.enter("/who");
    await pane.until(/Guide {2}agent, has the floor {2}http:\/\/127\.0\.0\.1:\d+\/agents\/guide/u);
    await pane.press("C-d");
    await pane.until("Come back with: plenary chat --store own.db --conversation");
    await pane.ended();
  });
});
