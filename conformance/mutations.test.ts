import { checkDocument, type Issue, type ParsedEnvelope, parseEnvelope } from "@plenary/protocol";
import { expect, test } from "vitest";
import { mint, stepsOf, textOf } from "./case.ts";
import { positiveCases } from "./cases/flawless.ts";
import { repairCases } from "./cases/repairs.ts";
import { negativeCases } from "./cases.ts";
import { samples } from "./fixtures.ts";
import { mutate } from "./mutate.ts";
import { createRandom } from "./random.ts";

const isNightly = process.env.PLENARY_NIGHTLY === "1";
const mutationsMax = isNightly ? 10_000_000 : 40_000;
/** Only a nightly run ends by elapsed time. */
const budgetMs = isNightly ? 3_000_000 : Number.POSITIVE_INFINITY;
/** An upper limit, so that the test cannot hang. */
const timeoutMs = isNightly ? 6_000_000 : 900_000;
const batch = 1_000;
const seed = Number(process.env.PLENARY_SEED ?? Date.now() % 2 ** 32);

const bulky = 20_000;
const texts = [...samples, ...negativeCases, ...positiveCases, ...repairCases]
  .map(textOf)
  .filter((text) => text.length < bulky);

/** A violation: which property the parser broke, and how this text shows it. */
type Complaint = { promise: string; evidence: unknown };

function* complaintsAbout(text: string): Generator<Complaint> {
  const parsed = parseEnvelope(text, mint);
  const report = checkDocument(text, mint);
  if (report.valid !== report.issues.every(({ severity }) => severity === "warning")) {
    yield { promise: "a document is valid if no issue is an error", evidence: report };
  }
  yield* complaintsAboutParsed(parsed);
  const astray = astrayOf(text, [...parsed.issues, ...report.issues]);
  if (astray.length > 0) yield { promise: "an issue is at a place of the document", evidence: astray };
  const answer = parseEnvelope(text, { ...mint, dropBadEvents: true });
  if (parsed.ok && !answer.ok) yield { promise: "leniency refuses nothing", evidence: answer.issues };
}

function* complaintsAboutParsed(parsed: ParsedEnvelope): Generator<Complaint> {
  const isRepaired = parsed.issues.every(({ repaired }) => repaired);
  if (parsed.ok !== isRepaired) {
    yield { promise: "a document is refused exactly if an issue is not repaired", evidence: parsed.issues };
  }
  if (!parsed.ok) return;
  const again = parseEnvelope(JSON.stringify({ openFloor: parsed.envelope }), mint);
  if (!again.ok) {
    yield { promise: "what was accepted is accepted again", evidence: again.issues };
    return;
  }
  const fresh = freshIssues(parsed, again.issues);
  if (fresh.length > 0) yield { promise: "what was accepted breaks no rule it did not break before", evidence: fresh };
  if (JSON.stringify(again.envelope) !== JSON.stringify(parsed.envelope)) {
    yield { promise: "what was repaired stays as it is", evidence: again.envelope };
  }
}

/** A translation may be warned about by the rules of the other dialect; it breaks none of them. */
function freshIssues({ dialect, issues }: ParsedEnvelope & { ok: true }, later: readonly Issue[]): Issue[] {
  const before = new Set(issues.map(({ rule }) => rule));
  return later.filter(({ rule, severity }) => !before.has(rule) && (dialect !== "0.9" || severity === "error"));
}

/** Issues whose pointer, except for its last step, does not lead to a value of the document. */
function astrayOf(text: string, issues: readonly Issue[]): Issue[] {
  if (issues.every(({ path }) => path === "")) return [];
  const source: unknown = JSON.parse(text);
  return issues.filter(({ path }) => !hasOwnerAt(source, path));
}

function hasOwnerAt(source: unknown, path: string): boolean {
  let owner = source;
  for (const step of stepsOf(path)) {
    if (typeof owner !== "object" || owner === null) return false;
    owner = Object.hasOwn(owner, step) ? Reflect.get(owner, step) : undefined;
  }
  return true;
}

function complaintsOf(text: string): Complaint[] {
  try {
    return [...complaintsAbout(text)];
  } catch (cause) {
    return [{ promise: "the reader never throws", evidence: cause }];
  }
}

test(
  `the parser keeps its properties over ${mutationsMax} mutated documents (PLENARY_SEED=${seed})`,
  async () => {
    const broken: Record<string, unknown> = {};
    const startedAt = Date.now();
    let tried = 0;
    while (tried < mutationsMax && Date.now() - startedAt < budgetMs) {
      for (const end = tried + batch; tried < end; tried += 1) {
        // Each mutation has its own seed, so that the seed in a report reproduces it at once.
        const random = createRandom(seed + tried);
        const text = mutate(texts[random.below(texts.length)] ?? "", random);
        for (const { promise, evidence } of complaintsOf(text)) {
          broken[promise] ??= { PLENARY_SEED: seed + tried, text, evidence };
        }
      }
      // The test runner expects its worker to respond now and then.
      await new Promise((resolve) => setImmediate(resolve));
    }
    console.info(`${tried} mutations in ${Date.now() - startedAt} ms, PLENARY_SEED=${seed}`);
    expect(broken).toEqual({});
  },
  timeoutMs,
);
