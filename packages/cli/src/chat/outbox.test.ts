import { expect, test, vi } from "vitest";
import { FloorError } from "../errors.ts";
import type { OutgoingUtterance } from "../floor/conversation-client.ts";
import { createOutbox } from "./outbox.ts";

/** A floor with a scripted response to each utterance. */
function floorThat(...answers: ("takes" | "away" | "refuses")[]) {
  const came: OutgoingUtterance[] = [];
  const refused: string[] = [];
  const say = async (saying: OutgoingUtterance) => {
    came.push(saying);
    const answer = answers[came.length - 1] ?? "takes";
    if (answer === "away") throw FloorError.unreachable("http://127.0.0.1:9", new Error("refused"));
    if (answer === "refuses") throw new FloorError("too late", { status: 409 });
  };
  const outbox = createOutbox({
    conversation: { say },
    onChange: () => {},
    onRefused: (typed) => refused.push(typed),
  });
  return { outbox, came, refused };
}

test("an utterance is kept until it is in the log", async () => {
  const { outbox, came } = floorThat();
  outbox.say({ text: "hello" });
  await vi.waitFor(() => expect(came).toHaveLength(1));
  expect(outbox.unsent().map(({ text }) => text)).toEqual(["hello"]);
  outbox.confirm(came[0]?.id ?? "");
  expect(outbox.unsent()).toEqual([]);
});

test("after a disconnect utterances are sent again, with the same id and in order", async () => {
  const { outbox, came } = floorThat("away");
  outbox.say({ text: "one" });
  outbox.say({ text: "two" });
  await vi.waitFor(() => expect(came).toHaveLength(1));
  await vi.waitFor(() => {
    outbox.flush();
    expect(came.map(({ text }) => text)).toEqual(["one", "one", "two"]);
  });
  expect(came[0]?.id).toBe(came[1]?.id);
  outbox.close();
});

test("utterances held by a convener return to the input when the convener changes", async () => {
  const { outbox, came, refused } = floorThat();
  outbox.say({ text: "one" });
  await vi.waitFor(() => expect(came).toHaveLength(1));
  await vi.waitFor(() => expect(outbox.unsent()[0]?.takenMs).toBeDefined());
  outbox.convenerChanged();
  expect(refused).toEqual(["one"]);
  expect(outbox.unsent()).toEqual([]);
});

test("a refused utterance returns to the input and does not block the others", async () => {
  const { outbox, came, refused } = floorThat("refuses");
  outbox.say({ text: "one", to: "tag:ann", isWhisper: true }, "/whisper Ann one");
  outbox.say({ text: "two" });
  await vi.waitFor(() => expect(came).toHaveLength(2));
  // A whisper comes back as one: Enter must not make it public.
  expect(refused).toEqual(["/whisper Ann one"]);
  expect(outbox.unsent().map(({ text }) => text)).toEqual(["two"]);
});
