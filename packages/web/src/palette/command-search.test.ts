import { describe, expect, test } from "vitest";
import { foundCommands, type PaletteCommand, scoreOf, withRecent } from "./command-search.ts";

function command(label: string, group = "Conversation"): PaletteCommand {
  return { id: label, label, group, run: () => {} };
}

const commands = [
  command("New conversation", "Desk"),
  command("Settings", "Desk"),
  command("Invite somebody"),
  command("Raise your hand"),
  command("Rename the conversation"),
  command("Résumé of the agents"),
];

function found(query: string, recent: readonly string[] = []): string[] {
  return foundCommands(commands, query, recent).map(({ label }) => label);
}

describe("commands", () => {
  test("are all listed by group without a query", () => {
    expect(found("")).toEqual(commands.map(({ label }) => label));
  });

  test("match letters in order with gaps", () => {
    expect(found("ivsb")).toEqual(["Invite somebody"]);
    expect(found("bsvi")).toEqual([]);
  });

  test("rank matches at word starts higher", () => {
    expect(found("ryh")[0]).toBe("Raise your hand");
    expect(found("nc")[0]).toBe("New conversation");
  });

  test("rank whole words above scattered letters", () => {
    expect(found("conv")[0]).toBe("New conversation");
    expect(found("set")[0]).toBe("Settings");
  });

  test("match regardless of case, accents and spaces", () => {
    expect(found("RESUME")[0]).toBe("Résumé of the agents");
    expect(found("raise  your")[0]).toBe("Raise your hand");
  });

  test("match by group name when no label matches", () => {
    expect(found("conversation")).toEqual(["New conversation", "Rename the conversation"]);
    expect(found("desk").sort()).toEqual(["New conversation", "Settings"]);
  });

  test("list recently used ones first and only once", () => {
    const [first, ...rest] = foundCommands(commands, "", ["Settings", "gone"]);
    expect(first).toMatchObject({ label: "Settings", group: "Recent" });
    expect(rest.map(({ label }) => label)).not.toContain("Settings");
  });

  test("rank recently used ones higher on a tie", () => {
    const twins = [command("Show one"), command("Show two")];
    expect(foundCommands(twins, "show", ["Show two"])[0]?.label).toBe("Show two");
    expect(foundCommands(twins, "show", [])[0]?.label).toBe("Show one");
  });

  test("keep groups together", () => {
    const groups = foundCommands(commands, "e", []).map(({ group }) => group);
    expect(groups).toEqual([...groups].sort((a, b) => groups.indexOf(a) - groups.indexOf(b)));
  });
});

test("a letter that begins a word scores more than one inside of it", () => {
  expect(scoreOf("Ask for the floor", "af")).toBeGreaterThan(scoreOf("Ask of", "af"));
});

test("a missing letter scores 0", () => {
  expect(scoreOf("Settings", "sx")).toBe(0);
});

test("the last five are stored, newest first", () => {
  const recent = ["a", "b", "c", "d", "e", "f", "b"].reduce<string[]>(withRecent, []);
  expect(recent).toEqual(["b", "f", "e", "d", "c"]);
});
