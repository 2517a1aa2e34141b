import { expect, test } from "vitest";
import { parseAddress } from "./service-address.ts";

test.each(["https://agent.example/openfloor", "http://127.0.0.1:8080/agents/echo", "  https://agent.example "])(
  "%s is an address",
  (typed) => {
    expect(parseAddress(typed)).toEqual({ ok: true, url: typed.trim() });
  },
);

test.each([
  ["", "Type the address"],
  ["https://agent.example/open floor", "no spaces"],
  ["agent.example/of", "did you mean https://agent.example/of?"],
  ["localhost:8080/agents/echo", "did you mean"],
  ["tag:agent.example,2026:it", "no addresses"],
  ["https://", "not a whole address"],
  ["ftp://agents.example", "reached by https://"],
  ["javascript:alert(1)", "reached by https://"],
  ["https://ann:secret@agent.example/", "Leave out the name"],
  ["https://ada@agents.example", "Leave out the name"],
  ["https://:secret@agents.example", "Leave out the name"],
])("%s is refused with a hint", (typed, hint) => {
  expect(parseAddress(typed)).toEqual({ ok: false, problem: expect.stringContaining(hint) });
});
