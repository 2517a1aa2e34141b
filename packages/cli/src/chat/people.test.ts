import { expect, test } from "vitest";
import { createPeople } from "./people.ts";
import type { Entry } from "./wire.ts";

function seated(speakerUri: string, conversationalName: string, kind: "agent" | "person" = "agent"): Entry {
  const identification = {
    speakerUri,
    serviceUrl: "https://x.example/",
    organization: "",
    conversationalName,
    synopsis: "",
  };
  return { seq: 1, at: "", kind: "seated", seat: { identification, kind, state: "joined" } };
}

test("names are legible, and nobody else is You", () => {
  const people = createPeople("tag:me");
  people.hear(seated("tag:me", "Ann", "person"));
  people.hear(seated("tag:a", "You"));
  people.hear(seated("tag:b", "Clo\u001b[2Jck\u202e"));
  expect(people.nameOf("tag:me")).toBe("You");
  expect(people.nameOf("tag:a")).toBe("You (2)");
  expect(people.nameOf("tag:b")).toBe("Clo [2Jck");
});

test("of two who look alike the later one has a number", () => {
  const people = createPeople("tag:me");
  people.hear(seated("tag:a", "Clock"));
  people.hear(seated("tag:b", "clock\u200b"));
  expect([people.nameOf("tag:a"), people.nameOf("tag:b")]).toEqual(["Clock", "clock\u200b (2)"]);
});

test("who has no name yet is known by the address, and waits to be named under every name it had", () => {
  const people = createPeople("tag:me");
  people.hear(seated("http://127.0.0.1:8080/bot", ""));
  expect(people.nameOf("http://127.0.0.1:8080/bot")).toBe("127.0.0.1:8080/bot");
  expect(people.isNamed("http://127.0.0.1:8080/bot")).toBe(false);
  const identification = {
    ...{ speakerUri: "tag:bot", serviceUrl: "http://127.0.0.1:8080/bot", organization: "", synopsis: "" },
    conversationalName: "Bot",
  };
  people.hear({ seq: 2, at: "", kind: "renamed", from: "http://127.0.0.1:8080/bot", to: "tag:bot", identification });
  expect(people.nameOf("http://127.0.0.1:8080/bot")).toBe("Bot");
  expect(people.isNamed("tag:bot")).toBe(true);
});
