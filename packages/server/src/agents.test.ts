import { expect, test } from "vitest";
import { createAgentList } from "./agents.ts";

test("of too many agents the one not heard of for longest is forgotten, never one that lives here", () => {
  const list = createAgentList();
  const note = (serviceUrl: string) => list.note({ serviceUrl, health: "answering", askedAt: "2026-01-01T00:00:00Z" });
  list.note({ serviceUrl: "http://here.example/", health: "silent", askedAt: "", isHosted: true });
  for (let count = 0; count < 1_000; count += 1) note(`http://there.example/${count}`);
  const known = list.all().map(({ serviceUrl }) => serviceUrl);
  expect(known).toHaveLength(1_000);
  expect(known).toContain("http://here.example/");
  expect(known).not.toContain("http://there.example/0");
  expect(known).toContain("http://there.example/1");
});
