import { expect, test } from "vitest";
import { addressOf } from "./address.ts";

test("an address is taken as it was written", () => {
  expect(addressOf("  http://127.0.0.1:4100/echo ")).toEqual({ address: "http://127.0.0.1:4100/echo" });
  expect(addressOf("https://agents.example/weather?x=1")).toEqual({ address: "https://agents.example/weather?x=1" });
});

test.each(["", "weather", "agents.example/weather", "ftp://agents.example", "javascript:alert(1)", "https://"])(
  "%s is no address",
  (text) => {
    expect(addressOf(text)).toHaveProperty("problem");
  },
);

test.each(["https://ada:secret@agents.example", "https://ada@agents.example", "https://:secret@agents.example"])(
  "%s is not sent on, for it holds a name or a password",
  (text) => {
    expect(addressOf(text)).toEqual({ problem: "An address holds no name and no password." });
  },
);
