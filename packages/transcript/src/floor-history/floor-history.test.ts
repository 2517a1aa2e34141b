import fc from "fast-check";
import { expect, test } from "vitest";
import type { TranscriptEntry as Entry, FloorNow } from "../transcript.ts";
import { type FloorHistory, floorHistory } from "./floor-history.ts";

const ann = "tag:ann";
const bot = "tag:bot";
const eve = "tag:eve";
const cid = "tag:cid";

type Bare = Record<string, unknown> & { kind: string };

function logOf(bare: readonly Bare[], firstSeq = 1): Entry[] {
  return bare.map((one, index) => ({ seq: firstSeq + index, at: `2026-01-01T00:00:${10 + index}Z`, ...one }) as Entry);
}

const identification = (speakerUri: string) => ({
  ...{ speakerUri, serviceUrl: "", conversationalName: "", organization: "", synopsis: "" },
});
const seat = (speakerUri: string, state = "joined", kind = "agent") => ({
  identification: identification(speakerUri),
  ...{ state, kind },
});
const opened: Bare = { kind: "opened", self: { speakerUri: "tag:floor" }, owner: seat(ann, "joined", "person") };
const invited = (who: string): Bare => ({ kind: "seated", seat: seat(who, "invited") });
const joined = (who: string): Bare => ({ kind: "seated", seat: seat(who) });
const event = (eventType: string, sender: string, target?: string, more: object = {}): Bare => ({
  ...{ kind: "event", sender, event: { eventType, ...(target && { to: { speakerUri: target } }) } },
  ...(target && { target }),
  ...more,
});
const says = (sender: string, because = "2.1/addressed"): Bare => event("utterance", sender, undefined, { because });
const whisper = (sender: string, to: string): Bare =>
  event("utterance", sender, to, { event: { eventType: "utterance", to: { speakerUri: to, private: true } } });

function viewAt(seq: number, seated: readonly { who: string; since: number; hasFloor: boolean }[]): FloorNow {
  return {
    ...{ id: "c", seq, isClosed: false, isPaused: false, assignedFloorRoles: {}, floorRequested: [] },
    floorGranted: seated.filter(({ hasFloor }) => hasFloor).map(({ who }) => who),
    conversants: seated.map(({ who, since, hasFloor }) => ({
      ...{ identification: identification(who), kind: "agent", state: "joined", since, hasFloor, misses: 0 },
    })),
  };
}

const historyOf = (bare: readonly Bare[], view?: FloorNow, firstSeq?: number) =>
  floorHistory(logOf(bare, firstSeq), new Map(), view);

function spansOf({ lanes }: FloorHistory, speakerUri: string): string[] {
  const spans = lanes.find((lane) => lane.speakerUri === speakerUri)?.spans ?? [];
  return spans.map(({ kind, from, to }) => `${kind} ${from}-${to}`);
}

const whole: readonly [string, readonly Bare[], string, readonly string[]][] = [
  ["the owner holds the floor from the first entry", [opened, says(ann)], ann, ["held 1-3"]],
  [
    "an invited agent holds the floor before it has joined",
    [opened, invited(bot), event("invite", ann, bot), joined(bot), says(bot)],
    bot,
    ["absent 1-2", "invited 2-4", "held 3-6"],
  ],
  [
    "yieldFloor ends the span that grantFloor began",
    [opened, joined(bot), event("grantFloor", ann, bot), event("yieldFloor", bot), says(ann)],
    bot,
    ["absent 1-2", "held 3-4"],
  ],
  [
    "a request waits until it is granted",
    [opened, joined(bot), event("requestFloor", bot), says(ann), event("grantFloor", ann, bot)],
    bot,
    ["absent 1-2", "asked 3-5", "held 5-6"],
  ],
  [
    "a request waits until it is refused",
    [opened, joined(bot), { kind: "parked", sender: bot, event: { eventType: "requestFloor" } }].concat([
      { kind: "held", speakerUri: bot },
      event("revokeFloor", "tag:floor", bot),
      says(ann),
    ]),
    bot,
    ["absent 1-2", "asked 3-5"],
  ],
  [
    "requestFloor can name another conversant",
    [opened, joined(bot), joined(eve), event("requestFloor", eve, bot, { target: undefined })],
    bot,
    ["absent 1-2", "asked 4-5"],
  ],
  [
    "a request addressed to the convener is for its sender",
    [opened, joined(bot), joined(eve), { kind: "role", role: "convener", speakerUri: eve }].concat([
      event("requestFloor", bot, eve, { target: undefined }),
    ]),
    bot,
    ["absent 1-2", "asked 5-6"],
  ],
  [
    "a notice does not take the floor",
    [opened, joined(bot), event("grantFloor", ann, bot), event("revokeFloor", "tag:floor", bot, { isNotice: true })],
    bot,
    ["absent 1-2", "held 3-5"],
  ],
  [
    "a conversant that leaves has no floor and no request",
    [opened, joined(bot), event("requestFloor", bot), event("bye", bot, bot), says(ann)],
    bot,
    ["absent 1-2", "asked 3-4", "absent 4-6"],
  ],
  [
    "declineInvite ends the floor of the invitee",
    [opened, invited(bot), event("invite", ann, bot), event("declineInvite", bot, bot)],
    bot,
    ["absent 1-2", "invited 2-4", "held 3-4", "absent 4-5"],
  ],
  [
    "a guest is seated with the floor at once",
    [opened, { kind: "seated", seat: seat(cid, "joined", "person"), isGranted: true }, says(cid)],
    cid,
    ["absent 1-2", "held 2-4"],
  ],
];

test.each(whole)("%s", (_, bare, who, spans) => {
  expect(spansOf(historyOf(bare), who)).toEqual(spans);
});

test("lanes are in the order of appearance, with the owner first", () => {
  const role = { kind: "role", role: "owner", speakerUri: cid };
  const { lanes, marks } = historyOf([opened, joined(bot), joined(cid), role, says(bot), says(ann)]);
  expect(lanes.map(({ speakerUri }) => speakerUri)).toEqual([cid, ann, bot]);
  expect(marks.map(({ kind, row }) => [kind, row])).toEqual([
    ["role", 0],
    ["utterance", 2],
    ["utterance", 1],
  ]);
});

test("utterances show whether their speaker had the floor, and whispers their addressee", () => {
  const hidden = { kind: "hidden", whisper: { at: "2026-01-01T00:00:00Z", from: bot, to: eve } };
  const { marks } = historyOf([opened, joined(bot), says(ann), says(bot), whisper(ann, bot), hidden]);
  expect(marks.map(({ seq, withFloor, isWhisper = false, to }) => [seq, withFloor, isWhisper, to])).toEqual([
    [3, true, false, undefined],
    [4, false, false, undefined],
    [5, true, true, bot],
    [6, false, true, eve],
  ]);
});

test("refusals, missed deadlines and roles are marked where they happened", () => {
  const refused = { kind: "refused", sender: bot, event: { eventType: "utterance" }, problem: "no" };
  const missed = { kind: "missed", delivery: "d1", speakerUri: bot, failure: "timeout" };
  const role = { kind: "role", role: "convener", speakerUri: bot };
  const ended = { kind: "role", role: "convener" };
  const { marks } = historyOf([opened, joined(bot), refused, missed, role, ended]);
  expect(marks.map(({ kind, seq, row }) => [kind, seq, row])).toEqual([
    ["refused", 3, 1],
    ["missed", 4, 1],
    ["role", 5, 1],
    ["role", 6, 1],
  ]);
});

test("a pause lasts until it is resumed, or until the last entry", () => {
  const paused = { kind: "paused", because: "loop/depth" };
  const { pauses } = historyOf([opened, paused, says(ann), { kind: "resumed" }, paused, says(ann)]);
  expect(pauses).toEqual([
    { from: 2, to: 4, because: "loop/depth" },
    { from: 5, to: 7, because: "loop/depth" },
  ]);
});

test("a conversant that joins again under its own name has one lane", () => {
  const address = "https://bot.example/";
  const back = [invited(address), event("invite", ann, address), { kind: "renamed", from: address, to: bot }];
  const miss = { kind: "missed", delivery: "d1", speakerUri: address, failure: "timeout" };
  const history = historyOf([opened, joined(bot), event("bye", bot, bot), ...back.slice(0, 2), miss, ...back.slice(2)]);
  expect(history.lanes.map(({ speakerUri }) => speakerUri)).toEqual([ann, bot]);
  expect(spansOf(history, bot)).toEqual(["absent 1-2", "absent 3-4", "invited 4-8", "held 5-8"]);
  expect(history.marks.map(({ row }) => row)).toEqual([1]);
});

test("floor rights before the first loaded entry are unknown until an entry shows them", () => {
  const view = viewAt(13, [
    { who: ann, since: 1, hasFloor: true },
    { who: bot, since: 4, hasFloor: false },
    { who: eve, since: 12, hasFloor: false },
  ]);
  const history = historyOf([says(bot), event("revokeFloor", ann, bot), joined(eve), says(eve)], view, 10);
  expect(spansOf(history, ann)).toEqual(["held 10-14"]);
  expect(spansOf(history, bot)).toEqual(["unknown 10-11"]);
  expect(spansOf(history, eve)).toEqual(["absent 10-12"]);
  expect(history.marks.map(({ withFloor }) => withFloor)).toEqual([undefined, false]);
});

test("the rule id of an utterance shows whether its speaker had the floor", () => {
  const history = historyOf([says(eve), says(bot, "2.2/utterance/granted/no-convener")], undefined, 10);
  expect(spansOf(history, bot)).toEqual(["held 10-12"]);
  expect(spansOf(history, eve)).toEqual(["unknown 10-12"]);
});

test("entries count more than an older view of the floor", () => {
  const view = viewAt(10, [{ who: bot, since: 4, hasFloor: false }]);
  const history = historyOf([says(ann), event("grantFloor", ann, bot), says(bot)], view, 10);
  expect(spansOf(history, bot)).toEqual(["unknown 10-11", "held 11-13"]);
});

test("a view of the floor at another sequence number is ignored", () => {
  const view = viewAt(40, [{ who: ann, since: 1, hasFloor: true }]);
  expect(spansOf(historyOf([says(bot)], view, 10), ann)).toEqual(["unknown 10-11"]);
});

test("a request that only the view lists is shown as waiting", () => {
  const view = { ...viewAt(3, [{ who: bot, since: 2, hasFloor: false }]), floorRequested: [bot] };
  expect(spansOf(historyOf([opened, joined(bot), { kind: "hidden" }], view), bot)).toEqual(["absent 1-2", "asked 3-4"]);
});

test("entries from before the reader joined are left out", () => {
  const log = [{ kind: "hidden" }, { kind: "hidden" }, joined(bot), says(bot)];
  expect(historyOf(log)).toMatchObject({ firstSeq: 3, lastSeq: 4 });
  expect(historyOf([])).toEqual({ lanes: [], marks: [], pauses: [], firstSeq: 1, lastSeq: 0 });
});

const speaker = fc.constantFrom(ann, bot, eve, cid);
const move = fc.oneof(
  fc.tuple(fc.constantFrom("grantFloor", "revokeFloor", "invite", "uninvite", "bye"), speaker),
  fc.tuple(fc.constantFrom("yieldFloor", "requestFloor", "utterance", "seated", "notice", "renamed"), speaker),
);

function entryOf([what, who]: readonly [string, string], index: number): Bare {
  if (what === "seated") return joined(who);
  if (what === "notice") return event("revokeFloor", ann, who, { isNotice: true });
  // A new name each time, so that no two conversants have the same name.
  if (what === "renamed") return { kind: "renamed", from: who, to: `${who}/${index}` };
  const isOwn = ["yieldFloor", "requestFloor", "utterance"].includes(what);
  return isOwn ? event(what, who) : event(what, ann, who);
}

function grantedAfterEach(log: readonly Bare[]): ReadonlySet<string>[] {
  let granted = new Set([ann]);
  return log.map((entry) => {
    granted = new Set(granted);
    const {
      event: { eventType = "" } = {},
      sender,
      target,
      isNotice,
      from,
      to,
    } = entry as Record<string, string> & {
      event?: { eventType?: string };
    };
    if (eventType === "grantFloor" || eventType === "invite") granted.add(String(target));
    if (["uninvite", "bye"].includes(eventType)) granted.delete(String(target));
    if (eventType === "revokeFloor" && !isNotice) granted.delete(String(target));
    if (eventType === "yieldFloor") granted.delete(String(sender));
    if (entry.kind === "renamed" && granted.delete(String(from))) granted.add(String(to));
    return granted;
  });
}

/** The last name of the conversant that has this name after the entry at `index`. */
function lastName(log: readonly Bare[], name: string, index: number): string {
  const later = log.slice(index + 1).find((entry) => entry.kind === "renamed" && entry.from === name);
  return later === undefined ? name : lastName(log, String(later.to), log.indexOf(later));
}

test("lanes agree with the floor at every entry of any log", () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
      const log = [opened, ...moves.map(entryOf)];
      const { lanes } = historyOf(log);
      grantedAfterEach(log).forEach((granted, index) => {
        const holding = lanes.filter(({ spans }) =>
          spans.some(({ kind, from, to }) => kind === "held" && from <= index + 1 && index + 1 < to),
        );
        const names = holding.map(({ speakerUri }) => speakerUri).sort();
        expect(names).toEqual([...granted].map((name) => lastName(log, name, index)).sort());
      });
    }),
  );
});

test("spans of one kind in a lane do not overlap, and none is empty", () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 40 }), fc.boolean(), (moves, isWhole) => {
      const log = moves.map(entryOf);
      for (const { spans } of historyOf(isWhole ? [opened, ...log] : log).lanes) {
        for (const kind of ["held", "asked", "invited", "absent", "unknown"]) {
          const own = spans.filter((span) => span.kind === kind);
          own.forEach(({ from, to }, index) => {
            expect(to).toBeGreaterThan(from);
            expect(own[index + 1]?.from ?? to).toBeGreaterThanOrEqual(to);
          });
        }
      }
    }),
  );
});
