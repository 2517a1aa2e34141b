import { expect, test } from "vitest";
import { createMemoryIo } from "../../testing/memory-io.ts";
import { chatColors } from "./colors.ts";

const io = createMemoryIo();
const terminal = { colourBits: 8 } as NonNullable<Parameters<typeof chatColors>[0]["terminal"]>;

test("Markdown is rendered, and names with underscores stay as they are", () => {
  const { markdown } = chatColors({ terminal, env: {} });
  expect(markdown("see _What a floor is_, **now**, snake_case_name, a_b_ and _x")).toBe(
    "see \u001b[3mWhat a floor is\u001b[23m, \u001b[1mnow\u001b[22m, snake_case_name, a_b_ and _x",
  );
});

test("without colours Markdown is not rendered", () => {
  for (const colors of [chatColors({ env: {} }), chatColors({ terminal, env: { NO_COLOR: "1" } }), chatColors(io)]) {
    expect(colors.markdown("_so_ **what**")).toBe("_so_ **what**");
    expect(colors.speaker("tag:ann", "Ann")).toBe("Ann");
  }
});
