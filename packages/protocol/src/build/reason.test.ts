import { expect, expectTypeOf, test } from "vitest";
import type { EventType } from "../model/event.ts";
import { hasReason, type Reason, type ReasonToken, reasonTokens, reasonTokensOf } from "./reason.ts";

test.each<[string | undefined, string[]]>([
  [undefined, []],
  ["", []],
  ["more information to add", []],
  ["@override", ["@override"]],
  ["convener agent taking back the floor because @timedOut", ["@timedOut"]],
  ["@brokenPolicy: no offensive content, @error.", ["@brokenPolicy", "@error"]],
  ["@timed-out", ["@timed"]],
  ["@@error_2 @ @é", ["@error_2"]],
  ["write to ann@example.com", ["@example"]],
])("the tokens of the reason %j are %j", (reason, tokens) => {
  expect(reasonTokens(reason)).toEqual(tokens);
});

test("an event has a reason token if its text contains the whole token", () => {
  const late = { eventType: "revokeFloor", reason: "too slow: @timedOut" } as const;
  expect(hasReason(late, "@timedOut")).toBe(true);
  expect(hasReason(late, "@error")).toBe(false);
  expect(hasReason({ eventType: "revokeFloor", reason: "@timedOutTwice" }, "@timedOut")).toBe(false);
  expect(hasReason({ eventType: "revokeFloor" }, "@timedOut")).toBe(false);
});

test("each event type has the tokens of its section", () => {
  const defined = Object.entries(reasonTokensOf).filter(([, tokens]) => tokens.length > 0);
  expect(Object.fromEntries(defined)).toEqual({
    uninvite: ["@timedOut", "@brokenPolicy", "@error"],
    declineInvite: ["@outOfDomain", "@unavailable", "@refused", "@error", "@roleRejected"],
    revokeFloor: ["@timedOut", "@brokenPolicy", "@override", "@error"],
    yieldFloor: ["@outOfDomain", "@complete", "@timedOut", "@refused", "@error"],
  });
  expectTypeOf<keyof typeof reasonTokensOf>().toEqualTypeOf<EventType>();
  expectTypeOf<ReasonToken<"uninvite">>().toEqualTypeOf<"@timedOut" | "@brokenPolicy" | "@error">();
  expectTypeOf<ReasonToken<"yieldFloor">>().toExtend<Reason<"yieldFloor">>();
});
