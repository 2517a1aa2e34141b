import { describe, expect, test } from "vitest";
import { bodyFault, frameFault, parseQuery } from "./check.ts";
import { operations } from "./operations.ts";

const create = "POST /api/v1/conversations";
const discover = "POST /api/v1/discover";

describe("the fault of a body", () => {
  const url = "an http or https URL";
  test.each([
    [create, {}, undefined],
    [create, { title: " Planning " }, undefined],
    [create, { titel: "x" }, ["/titel", "/titel: there is no such field; title is meant", "rename it to title"]],
    [create, { title: "\u0000" }, ["/title", expect.stringContaining("without control characters"), undefined]],
    [create, { title: "\u200b" }, ["/title", expect.stringContaining("with a visible one"), undefined]],
    [create, { policy: "lax" }, ["/policy", "/policy: one of guarded, spec", undefined]],
    [create, { policy: "gaurded" }, ["/policy", "/policy: one of guarded, spec", "write guarded"]],
    [create, { convener: "agents/x" }, ["/convener", `/convener: ${url}`, undefined]],
    [
      create,
      { convener: "https://u:p@x.example/" },
      ["/convener", expect.stringContaining("without a user name or password"), undefined],
    ],
    [create, { missesMax: 0 }, ["/missesMax", "/missesMax: a whole number from 1 to 86400000", undefined]],
    [create, { owner: {} }, ["/owner/identification", "/owner/identification: it is missing", undefined]],
    [
      create,
      { owner: { identification: { speakerUri: "me" } } },
      ["/owner/identification/speakerUri", expect.stringContaining("a URI, such as"), undefined],
    ],
    // As in the official samples.
    [create, { owner: { identification: { speakerUri: "tag:me", character: "friendly" } } }, undefined],
    [
      discover,
      { text: "x", languages: ["a b"] },
      ["/languages/0", expect.stringContaining("language tags"), undefined],
    ],
    [discover, { text: "  " }, ["/text", expect.stringContaining("describe the task"), undefined]],
    [
      discover,
      { text: "x", zzz: 1 },
      ["/zzz", "/zzz: there is no such field", expect.stringContaining("text, languages")],
    ],
    [discover, { text: "x", "a/b~": 1 }, ["/a~1b~0", expect.stringContaining("no such field"), expect.any(String)]],
  ] as const)("%s %j", (route, body, expected) => {
    const fault = bodyFault(operations[route], body);
    expect(fault && [fault.pointer, fault.detail, fault.fix]).toEqual(expected);
  });
});

describe("query parameters", () => {
  const log = operations["GET /api/v1/conversations/:id/log"];
  test("numbers are read, and the first of two equal names counts", () => {
    const parsed = parseQuery(log, new URLSearchParams("after=3&after=9&view=brief&speaker=tag:me"));
    expect(parsed).toEqual({ ok: true, query: { after: 3, view: "brief", speaker: "tag:me" } });
  });

  test.each([
    ["x=1", "the query parameter x: there is no such parameter", "the parameters are after, limit, view, speaker"],
    ["limit=0", "the query parameter limit: a whole number from 1 to 1000", undefined],
    ["view=breif", "the query parameter view: one of brief", "write brief"],
    ["limit=ten", "the query parameter limit: a whole number from 1 to 1000", undefined],
    ["limit=", "the query parameter limit: a whole number from 1 to 1000", undefined],
    ["view=long", "the query parameter view: one of brief", undefined],
    ["aftr=1", "the query parameter aftr: there is no such parameter; after is meant", "rename it to after"],
    [
      "a/b~=1",
      "the query parameter a~1b~0: there is no such parameter",
      "the parameters are after, limit, view, speaker",
    ],
    ["__proto__=1", expect.stringContaining("there is no such parameter"), expect.stringContaining("after, limit")],
  ])("%s is refused", (query, detail, fix) => {
    const parsed = parseQuery(log, new URLSearchParams(query));
    const [parameter] = query.split("=");
    expect(parsed).toEqual({ ok: false, fault: { pointer: "", parameter, detail, ...(fix !== undefined && { fix }) } });
  });

  test("an operation without parameters refuses every name", () => {
    const fault = { pointer: "", fix: "this request has no query parameters" };
    expect(parseQuery(operations["GET /api/v1/me"], new URLSearchParams("x=1"))).toMatchObject({ ok: false, fault });
  });
});

describe("the fault of a frame", () => {
  const draft = { inReplyTo: "d1", dialogEventId: "u1" };
  test.each([
    ["envelope", { openFloor: 1, id: "1" }, undefined],
    ["envelope", { openFloor: {} }, ["/id", "/id: it is missing"]],
    ["envelope", { openFloor: {}, id: "" }, ["/id", "/id: a text of 1 to 256 characters"]],
    ["envelope", { openfloor: {}, id: "1" }, ["/openfloor", expect.stringContaining("openFloor is meant")]],
    ["envelope", { openFloor: {}, id: "1", baggage: "x".repeat(8_193) }, ["/baggage", expect.stringContaining("8192")]],
    ["answer", { openFloor: {}, inReplyTo: 7 }, ["/inReplyTo", "/inReplyTo: the `delivery` that is answered"]],
    ["draft", { draft: { ...draft, step: 7 } }, undefined],
    ["draft", { draft: 7 }, ["/draft", "/draft: an object"]],
    ["draft", { draft: { ...draft, delta: 7 } }, ["/draft/delta", "/draft/delta: a text"]],
    ["draft", { draft: { ...draft, detla: "x" } }, ["/draft/detla", expect.stringContaining("delta is meant")]],
  ] as const)("%s %j", (kind, frame, expected) => {
    const fault = frameFault(kind, frame);
    expect(fault && [fault.pointer, fault.detail]).toEqual(expected);
  });
});
