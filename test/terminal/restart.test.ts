import { describe, expect, test } from "vitest";
import { parrot, times, useChatFloor } from "./chat-floor.ts";
import { isMissing, openPane } from "./tmux.ts";

const { place, open, kill } = useChatFloor();

describe.skipIf(isMissing)("in a terminal", () => {
  test("a floor that is killed and restarted loses no typed text, and sends nothing twice", async () => {
    const agent = await parrot("Parrot");
    const pane = await openPane(["chat", agent.url], { cwd: place.folder });
    await pane.until("● Parrot");
    await pane.enter("before the fall");
    await pane.until("Parrot heard: before the fall");
    await pane.type("said while the floor ");
    await pane.until("> said while the floor");
    await kill();
    await pane.until("reconnecting…");
    await pane.enter("is away");
    await pane.until("said while the floor is away  sending…");
    await pane.type("typed meanwhile");
    await open();
    await pane.until("Parrot heard: said while the floor is away");
    const screen = await pane.until((text) => !text.includes("reconnecting…") && !text.includes("sending…"));
    expect(screen).toMatch(/^> typed meanwhile$/mu);
    expect(times(screen, "You  said while the floor is away")).toBe(1);
    expect(times(screen, "Parrot heard: before the fall")).toBe(1);
    expect(agent.heard.map(({ text }) => text)).toEqual(["before the fall", "said while the floor is away"]);
  });

  test("a chat that ends prints how to return, and finds the transcript again", async () => {
    const agent = await parrot("Parrot");
    const pane = await openPane(["chat", agent.url], { cwd: place.folder });
    await pane.until("● Parrot");
    await pane.enter("remember the milk");
    await pane.until("Parrot heard: remember the milk");
    await pane.press("C-d");
    const farewell = await pane.until("Come back with: plenary chat --conversation");
    const [, id = ""] = /--conversation (\S+)/u.exec(farewell) ?? [];
    const again = await openPane(["chat", "--conversation", id], { cwd: place.folder });
    const screen = await again.until("Parrot heard: remember the milk");
    expect(times(screen, "You  remember the milk")).toBe(1);
    await again.enter("and the bread");
    await again.until("Parrot heard: and the bread");
  });

  test("a person who says bye leaves, and gets no hint how to return", async () => {
    const agent = await parrot("Parrot");
    const pane = await openPane(["chat", agent.url, "--title", "Short"], { cwd: place.folder });
    await pane.until("● Parrot");
    await pane.enter("/leave");
    await pane.ended();
    expect(await pane.screen()).not.toContain("Come back");
  });
});
