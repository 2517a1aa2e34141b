import { expect, test } from "vitest";
import { createMemoryIo } from "../../memory-io.ts";
import { inkFor } from "./colors.ts";

const io = createMemoryIo();
const terminal = { colourBits: 8 } as NonNullable<Parameters<typeof inkFor>[0]["terminal"]>;

test("marks of Markdown become what they mean, and names with underscores stay as they are", () => {
  const { markdown } = inkFor({ terminal, env: {} });
  expect(markdown("see _What a floor is_, **now**, snake_case_name, a_b_ and _x")).toBe(
    "see \u001b[3mWhat a floor is\u001b[23m, \u001b[1mnow\u001b[22m, snake_case_name, a_b_ and _x",
  );
});

test("without colours nothing is marked", () => {
  for (const ink of [inkFor({ env: {} }), inkFor({ terminal, env: { NO_COLOR: "1" } }), inkFor(io)]) {
    expect(ink.markdown("_so_ **what**")).toBe("_so_ **what**");
    expect(ink.of("tag:ann", "Ann")).toBe("Ann");
  }
});
