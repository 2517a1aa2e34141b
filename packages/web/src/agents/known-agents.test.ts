import type { KnownAgent } from "@plenary/client";
import { expect, test } from "vitest";
import { choiceOf, choicesOf, convenersOf, otherChoice } from "./known-agents.tsx";

function agent(name: string, change: Partial<KnownAgent> = {}, roles?: Record<string, boolean>): KnownAgent {
  const serviceUrl = `http://127.0.0.1/${name}`;
  const identification = {
    speakerUri: `tag:${name}`,
    serviceUrl,
    organization: "Here",
    conversationalName: name,
    synopsis: " Helps ",
    ...(roles && { openFloorRoles: roles }),
  };
  const manifest = { identification, capabilities: [] };
  return { serviceUrl, manifest, health: "answering", quirks: [], ...change } as KnownAgent;
}

test("an agent is shown by its name, or by its address without a manifest", () => {
  expect(choiceOf(agent("echo"))).toMatchObject({ name: "echo", synopsis: "Helps", canConvene: false });
  const { manifest: _, ...unknown } = agent("dark");
  expect(choiceOf(unknown)).toMatchObject({ name: "http://127.0.0.1/dark" });
});

test("those that answer come first, then by name", () => {
  const agents = [agent("zoe"), agent("ann", { health: "silent" }), agent("al", { health: "failing" }), agent("bea")];
  expect(choicesOf(agents).map(({ name }) => name)).toEqual(["bea", "zoe", "al", "ann"]);
});

test("only chosen agents can convene, and those that offer it come first", () => {
  const choices = [
    choiceOf(agent("echo")),
    choiceOf(agent("chair", {}, { convener: true })),
    choiceOf(agent("absent", {}, { convener: true })),
    otherChoice("http://127.0.0.1/other"),
  ];
  const chosen = new Set([...choices.slice(0, 2), ...choices.slice(3)].map(({ serviceUrl }) => serviceUrl));
  expect(convenersOf(choices, chosen).map(({ name }) => name)).toEqual(["chair", "echo", "http://127.0.0.1/other"]);
});
