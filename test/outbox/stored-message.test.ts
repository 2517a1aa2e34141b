import { createMemoryStore } from "@plenary/server";
import { expect, test, vi } from "vitest";
import type { Json } from "../support/envelopes.ts";
import { answer, type Behaviour, type Heard, silent, startAgent, textsIn } from "../support/http-agent.ts";
import { startTestFloor } from "../support/start-test-floor.ts";
import { patience } from "../support/wait-for.ts";

type Dialect = "0.9" | "1.0" | "1.1";

function dialectIn({ body }: Heard): Dialect {
  if (body.ovon !== undefined) return "0.9";
  const { schema } = body.openFloor as { schema: { version: string } };
  return schema.version.startsWith("1.0") ? "1.0" : "1.1";
}

/** Speaks one dialect, keeps a note in the conversation, and answers with no events. */
function speaking(dialect: Dialect, note: string): Behaviour {
  return (heard, self) => {
    if (dialectIn(heard) !== dialect) return { status: 422, body: "{}" };
    if (dialect === "1.1") return silent(heard, self);
    const root = (heard.body.ovon ?? heard.body.openFloor) as { conversation: Json };
    const conversation = { id: root.conversation.id, persistentState: { [note]: "kept" } };
    if (dialect === "0.9") {
      const ovon = { schema: { version: "0.9.3" }, conversation, sender: { from: self.url }, events: [] };
      return { body: JSON.stringify({ ovon }) };
    }
    const { body } = answer(heard, self);
    const { openFloor } = JSON.parse(body ?? "") as { openFloor: Json };
    return { body: JSON.stringify({ openFloor: { ...openFloor, schema: { version: "1.0.0" }, conversation } }) };
  };
}

for (const dialect of ["0.9", "1.0", "1.1"] as const) {
  test(`a delivery in ${dialect} that is repeated after a restart has the same bytes`, async () => {
    const store = createMemoryStore();
    const first = await startTestFloor({ store });
    const state = { isStuck: true };
    const speak = speaking(dialect, "first");
    const agent = await startAgent((heard, self) =>
      state.isStuck && textsIn(heard).includes("hello") ? undefined : speak(heard, self),
    );
    const delivered = () => agent.heard.filter((heard) => textsIn(heard).includes("hello"));
    await first.invite("c", agent);
    await first.say("c", "hello", { wait: 0 });
    await vi.waitFor(() => expect(delivered()).toHaveLength(1), patience);
    // Another agent joins and speaks while the first delivery is open, which changes the stored floor.
    const other = await startAgent(speaking("0.9", "second"));
    await first.invite("c", other, { wait: 0 });
    await first.until("c", (entries) => entries.filter(({ kind }) => kind === "seated").length >= 3);
    await vi.waitFor(async () => expect(JSON.stringify(await store.log.load("c"))).toContain("second"), patience);
    await first.server.close();
    state.isStuck = false;
    const second = await startTestFloor({ store });
    await vi.waitFor(() => expect(delivered()).toHaveLength(2), patience);
    const [once, again] = delivered();
    expect(again?.text).toBe(once?.text);
    expect(once && dialectIn(once)).toBe(dialect);
    for (const name of ["webhook-id", "traceparent", "baggage"]) {
      expect(again?.headers[name]).toBe(once?.headers[name]);
    }
    await second.close();
  });
}

test("a dialect that was detected in another conversation does not change a repeated delivery", async () => {
  const store = createMemoryStore();
  const first = await startTestFloor({ store });
  const state = { isStuck: true };
  const speak = speaking("1.0", "note");
  const isFirst = ({ text }: Heard) => text.includes('"stuck"');
  const agent = await startAgent((heard, self) => (state.isStuck && isFirst(heard) ? undefined : speak(heard, self)));
  const invited = () => agent.heard.filter(isFirst);
  await first.invite("other", agent);
  await first.invite("stuck", agent, { wait: 0 });
  await vi.waitFor(() => expect(invited()).toHaveLength(1), patience);
  await first.server.close();
  state.isStuck = false;
  const second = await startTestFloor({ store });
  await vi.waitFor(() => expect(invited().length).toBeGreaterThan(1), patience);
  const [once, again] = invited();
  expect(again?.text).toBe(once?.text);
  await second.close();
});
