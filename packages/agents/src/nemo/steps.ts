import { type ClientClock, type Step, stepsFeature, stepsFeatureName } from "@plenary/nemo";
import { type DraftStep, draftStepLimits } from "@plenary/protocol";
import type { StreamPart } from "@plenary/sdk";
import type { StepsShown } from "./settings.ts";

/** These limits keep an answer below 1 MiB in all. */
const piecesMax = 400;
const detailCharsMax = 65_536;
/** The toolkit repeats the step of a model for each word of its output. */
const updateMs = 2_000;
/** After such a silence the draft shows "Still working". */
const quietMs = 20_000;

type StepProgress = Pick<DraftStep, "state"> & { title: string; atMs: number };

/** The steps of a workflow while it runs, as steps of the draft (D43). */
export function createLiveSteps(shown: StepsShown, clock: Pick<ClientClock, "now">) {
  const known = new Map<string, StepProgress>();
  let quietSinceMs = clock.now();
  let waiting: DraftStep | undefined;
  let [pieces, detailChars] = [0, 0];

  const detailOf = (payload: string): { detail?: string } => {
    if (shown === "names" || detailChars > detailCharsMax) return {};
    const detail = unescaped(payload).slice(0, draftStepLimits.detail);
    detailChars += detail.length;
    return detail === "" ? {} : { detail };
  };
  return {
    step({ id: given, parent: above, name, payload }: Step): StreamPart[] {
      const id = given.slice(0, draftStepLimits.id);
      const before = known.get(id);
      const { title, isComplete } = stepTitle(name);
      const state = isComplete || before?.state === "done" || output.test(payload) ? "done" : "running";
      const isNews = before?.state !== state || clock.now() - before.atMs >= updateMs;
      if (shown === "off" || id.trim() === "" || !isNews || pieces >= piecesMax) return [];
      pieces += 1;
      known.set(id, { title: before?.title ?? title, state, atMs: clock.now() });
      const parent = above?.slice(0, draftStepLimits.id);
      const nested = parent !== undefined && parent !== id && known.has(parent) && { parent };
      return [{ step: { id, ...nested, title: before?.title ?? title, ...detailOf(payload), state } }];
    },
    /** No event came for a while. */
    stillWorking(): StreamPart[] {
      const ms = clock.now() - quietSinceMs;
      // An empty part shows that the answer is still coming.
      if (shown === "off" || ms < quietMs) return [""];
      waiting = { id: "waiting", title: `Still working (${durationText(ms)})`, state: "running" };
      return [{ step: waiting }];
    },
    /** Text of the answer arrives. */
    words(): StreamPart[] {
      quietSinceMs = clock.now();
      const before = waiting;
      waiting = undefined;
      return before === undefined ? [] : [{ step: { ...before, state: "done" } }];
    },
  };
}

/** The toolkit's payload has this once the step has a result. */
const output = /\*\*(?:Function )?Output:\*\*/u;

const marks: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** A detail is plain text; the toolkit escapes it for HTML. */
function unescaped(payload: string): string {
  return payload.replaceAll(/&(?:lt|gt|amp);/gu, (mark) => marks[mark] ?? mark);
}

function durationText(ms: number): string {
  return ms < 60_000 ? `${Math.floor(ms / 10_000) * 10} s` : `${Math.floor(ms / 60_000)} min`;
}

const stepsMax = 100;
const charsMax = 32_768;

/** A repeated step replaces the earlier one at its place. */
export function keepStep(steps: Step[], step: Step): void {
  const known = steps.findIndex(({ id }) => id === step.id);
  if (known !== -1) steps[known] = step;
  else if (steps.length < stepsMax) steps.push(step);
}

/** The feature with the steps; empty when there are none. Steps that do not fit lose their payload. */
export function stepsFeaturePiece(steps: readonly Step[], trace: string | undefined, shown: StepsShown): StreamPart[] {
  if (shown === "off" || (steps.length === 0 && trace === undefined)) return [];
  let left = charsMax;
  const fitting = steps.flatMap((step) => {
    const bare = { ...step, payload: "" };
    const whole = shown === "names" || sizeOf(step) > left - reserve ? bare : step;
    left -= sizeOf(whole);
    return left < 0 ? [] : [whole];
  });
  return [{ features: { [stepsFeatureName]: stepsFeature(fitting, trace) } }];
}

/** Room for the names of the steps after a long one. */
const reserve = 8_192;

function sizeOf(step: Step): number {
  return new TextEncoder().encode(JSON.stringify(step)).length;
}

/** A title for people from a step's name in the toolkit, and whether the name says that the step is complete. */
export function stepTitle(name: string): { title: string; isComplete: boolean } {
  const [, phase, fn = ""] = /^Function (Start|Complete): (.*)$/su.exec(name) ?? [];
  if (phase !== undefined) return { title: actionTitle(fn), isComplete: phase === "Complete" };
  const [, tool] = /^Tool: (.*)$/su.exec(name) ?? [];
  // The toolkit names a step of a model after the model.
  return { title: tool === undefined ? `Thinking (${clipped(name)}) ...` : actionTitle(tool), isComplete: false };
}

/** `search_flights` is "Searching flights ...", `flight_tool` is "Running flight tool ...". */
function actionTitle(name: string): string {
  const own = wordsOf(name);
  if (own.length === 0 || own.join(" ") === "workflow") return "Running the workflow ...";
  // `travel.search_flights` and `travel__search_flights`: a function of a group.
  const words = [own, wordsOf(name.split(/\.|__/u).at(-1) ?? "")].find(([verb = ""]) => verbs.has(verb));
  if (words === undefined) {
    const kind = kinds.has(own.at(-1) ?? "") ? "" : " tool";
    return `Running ${clipped(own.join(" "))}${kind} ...`;
  }
  const [verb = "", ...rest] = words;
  return `${clipped([verbs.get(verb), ...rest].join(" "))} ...`;
}

function wordsOf(name: string): string[] {
  const apart = name.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " ").toLowerCase();
  return apart.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

const titleCharsMax = 150;

function clipped(words: string): string {
  return [...words.slice(0, titleCharsMax)].join("");
}

const kinds: ReadonlySet<string> = new Set(["tool", "agent", "workflow", "function"]);

/** Each verb and its form in a title. */
const verbs = new Map(
  `add Adding, analyze Analyzing, answer Answering, ask Asking, book Booking, build Building,
  calculate Calculating, call Calling, cancel Cancelling, check Checking, compare Comparing, compute Computing,
  convert Converting, count Counting, create Creating, delete Deleting, divide Dividing, download Downloading,
  execute Executing, extract Extracting, fetch Fetching, find Finding, generate Generating, get Getting,
  list Listing, load Loading, look Looking, lookup Looking up, make Making, multiply Multiplying, open Opening,
  parse Parsing, plan Planning, query Querying, read Reading, retrieve Retrieving, review Reviewing, run Running,
  save Saving, scan Scanning, search Searching, send Sending, sort Sorting, subtract Subtracting,
  summarize Summarizing, translate Translating, update Updating, upload Uploading, validate Validating,
  verify Verifying, wait Waiting, write Writing`
    .split(/,\s+/u)
    .map((pair) => [pair.slice(0, pair.indexOf(" ")), pair.slice(pair.indexOf(" ") + 1)]),
);
