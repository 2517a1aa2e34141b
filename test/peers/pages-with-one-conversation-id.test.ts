// Pages for one agent that use one conversation id for all visitors: each visitor is alone with the agent.
import { describe, expect, test } from "vitest";
import { pageOf09, pageOf10 } from "./pages-with-one-conversation-id.ts";
import { names, serve } from "./served-agents.ts";

const riddle = "my hovercraft is full of eels";

describe.each([
  ["1.0, which never invites", pageOf10],
  ["0.9, which invites when it is opened", pageOf09],
])("a page of %s", (_, page) => {
  test.each(names)("gets an answer from %s for every visitor", async (name) => {
    const url = await serve(name);
    for (const visitor of ["Ann", "Ben", "Cleo"]) {
      const { open, say } = page(url, visitor);
      await open();
      for (const text of ["Hello", riddle, "Thanks!"]) {
        expect([visitor, text, await say(text)]).toEqual([visitor, text, [expect.any(String)]]);
      }
    }
  });
});

test("visitors of a page that never invites may talk at the same time", async () => {
  const url = await serve("Clock");
  const [ann, ben] = [pageOf10(url, "Ann"), pageOf10(url, "Ben")];
  for (const say of [ann.say, ben.say, ann.say, ben.say]) expect(await say(riddle)).toHaveLength(1);
});
