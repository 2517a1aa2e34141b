import assert from "node:assert/strict";
import { feedbackPerSpeakerMax } from "../../ports/feedback.ts";
import { type AcceptanceCase, ann, bot, now, openConversation } from "./fixture.ts";

const [trace, other] = ["a".repeat(32), "b".repeat(32)];
const later = "2026-01-01T00:00:01.000Z";

/** The required behaviour of every store for feedback. */
export const feedbackAcceptance: readonly AcceptanceCase[] = [
  {
    name: "feedback is stored by trace and speaker, and is in no conversation",
    async run(store) {
      await openConversation(store, "c");
      const floor = await store.load("c");
      const [one, two] = [
        { traceId: trace, by: ann, reaction: "thumbs_up", at: now },
        { traceId: trace, by: bot.speakerUri, comment: "no \u001b[2J", at: now },
      ];
      assert.deepEqual(await store.feedback([trace]), []);
      await store.keepFeedback(one);
      await store.keepFeedback(two);
      await store.keepFeedback({ ...one, traceId: other });
      assert.deepEqual(await store.feedback([trace]), [one, two]);
      assert.deepEqual(await store.feedback(["c".repeat(32), other]), [{ ...one, traceId: other }]);
      assert.deepEqual(await store.feedback([]), []);
      assert.deepEqual(await store.load("c"), floor);
    },
  },
  {
    name: "newer feedback of a speaker replaces the given fields and keeps the others",
    async run(store) {
      await store.keepFeedback({ traceId: trace, by: ann, reaction: "thumbs_up", at: now });
      await store.keepFeedback({ traceId: trace, by: ann, comment: "too long", at: later });
      const whole = { traceId: trace, by: ann, reaction: "thumbs_up", comment: "too long", at: later };
      assert.deepEqual(await store.feedback([trace]), [whole]);
      await store.keepFeedback({ traceId: trace, by: ann, reaction: "thumbs_down", at: later });
      assert.deepEqual(await store.feedback([trace]), [{ ...whole, reaction: "thumbs_down" }]);
    },
  },
  {
    name: "feedback with empty fields is deleted",
    async run(store) {
      await store.keepFeedback({ traceId: trace, by: ann, reaction: "thumbs_up", comment: "good", at: now });
      await store.keepFeedback({ traceId: trace, by: ann, comment: "", at: later });
      assert.deepEqual(await store.feedback([trace]), [{ traceId: trace, by: ann, reaction: "thumbs_up", at: later }]);
      await store.keepFeedback({ traceId: trace, by: ann, reaction: "", at: later });
      assert.deepEqual(await store.feedback([trace]), []);
    },
  },
  {
    name: "above the limit of a speaker, the oldest feedback of this speaker is deleted",
    async run(store) {
      const nth = (count: number) => count.toString(16).padStart(32, "0");
      await store.keepFeedback({ traceId: other, by: bot.speakerUri, reaction: "+", at: now });
      const all = Array.from({ length: feedbackPerSpeakerMax + 2 }, (_, count) => count + 1);
      await Promise.all(
        all.map((count) => store.keepFeedback({ traceId: nth(count), by: ann, reaction: "+", at: now })),
      );
      const left = await store.feedback([other, ...all.map(nth)]);
      assert.equal(left.length, feedbackPerSpeakerMax + 1);
      assert.deepEqual(
        left.slice(0, 2).map(({ traceId }) => traceId),
        [other, nth(3)],
      );
    },
  },
];
