import { envelope, textUtterance } from "@plenary/protocol";
import { expect, test } from "vitest";
import { agentNamed, agentNames } from "./registry.ts";

const ann = { speakerUri: "tag:ann.example,2025:1" };

async function answersOf(text: string, to?: { speakerUri: string }) {
  const agent = agentNamed("echo", { serviceUrl: "http://127.0.0.1:7536/agents/echo" });
  const said = textUtterance(text, { ...ann, id: "de:1", startTime: "2025-01-31T10:05:00Z", ...(to && { to }) });
  const openFloor = envelope({ conversation: { id: "c1" }, sender: ann, events: [said] });
  const body = JSON.stringify({ openFloor });
  const response = await agent?.fetch(new Request("http://127.0.0.1:7536/agents/echo", { method: "POST", body }));
  return JSON.parse((await response?.text()) ?? "").openFloor.events;
}

test("every name in the list is an agent with that name in its speakerUri", () => {
  for (const name of agentNames) {
    expect(agentNamed(name)?.manifest.identification.speakerUri).toBe(`tag:localhost,2025:${name}`);
  }
});

test("an unknown name is no agent", () => {
  expect(agentNamed("nobody")).toBeUndefined();
});

test.each([
  ["http://127.0.0.1:7536/agents/echo", "tag:127.0.0.1,2025:7536:echo"],
  ["https://bots.example/echo", "tag:bots.example,2025:echo"],
  ["http://[::1]:8080/", "tag:localhost,2025:::1:8080:echo"],
])("the same agent at %s is the speaker %s", (serviceUrl, speakerUri) => {
  expect(agentNamed("echo", { serviceUrl })?.manifest.identification).toMatchObject({ serviceUrl, speakerUri });
});

test("echo repeats a public utterance", async () => {
  expect(await answersOf("good morning")).toMatchObject([
    {
      eventType: "utterance",
      to: { speakerUri: ann.speakerUri },
      parameters: { dialogEvent: { features: { text: { tokens: [{ value: "You said: good morning" }] } } } },
    },
  ]);
});

test("echo is silent about utterances for others", async () => {
  expect(await answersOf("good morning", { speakerUri: "tag:bob.example,2025:1" })).toEqual([]);
});
