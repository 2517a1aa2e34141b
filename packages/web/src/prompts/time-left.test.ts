import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, expect, test, vi } from "vitest";
import { floorOf } from "../api/session.ts";
import { type PageServices, PageServicesContext } from "../state/context.ts";
import { promptStatus } from "./answer-status.ts";
import type { Prompt } from "./read-prompts.ts";
import { useFloorTime } from "./time-left.ts";

const floorMs = Date.parse("2026-11-16T10:00:00Z");

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function Card({ untilMs }: { untilMs: number }) {
  const prompt: Prompt = {
    id: "q1",
    seq: 4,
    at: "2026-11-16T09:59:00Z",
    sender: "tag:guide",
    isWhisper: false,
    inputType: "text",
    text: "Name?",
    options: [],
    isRequired: true,
    untilMs,
  };
  return promptStatus(prompt, "tag:ann", useFloorTime(untilMs)).kind;
}

test.each([
  ["ahead", 120_000],
  ["behind", -120_000],
])("a clock that is two minutes %s does not change the deadline", async (_, offMs) => {
  vi.useFakeTimers({ now: floorMs + offMs });
  vi.stubGlobal("location", { origin: "http://floor.example" });
  vi.stubGlobal("fetch", async () => Response.json({}, { headers: { date: new Date(floorMs).toUTCString() } }));
  const floor = floorOf({ speakerUri: "tag:ann" }, () => undefined);
  await floor.call("GET /api/v1/me");
  const services = { floorNowMs: () => floor.nowMs() } as PageServices;
  const shown = (untilMs: number) =>
    renderToStaticMarkup(createElement(PageServicesContext, { value: services }, createElement(Card, { untilMs })));
  expect([shown(floorMs + 5_000), shown(floorMs - 5_000)]).toEqual(["open", "expired"]);
});
