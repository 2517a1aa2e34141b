import type { Discovery, FoundAgent } from "@plenary/client";
import { FloorError, isFloorProblem } from "../errors.ts";
import { type FloorOptions, reachFloor } from "../floor/access.ts";
import type { ExitCode, Io } from "../io.ts";
import { type Colours, coloursFor, shellQuote } from "../output/format.ts";
import { printable } from "../output/sanitize.ts";
import { truncate } from "../output/truncate.ts";

export type DiscoverCommandOptions = FloorOptions & {
  ask: readonly string[];
  language: readonly string[];
  layer: readonly string[];
  scope: "external" | "all";
  limit: number;
  json: boolean;
};

type Answer = Pick<Discovery, "found" | "asked" | "unasked">;

export async function discoverCommand(text: string, options: DiscoverCommandOptions, io: Io): Promise<ExitCode> {
  const { ask, json } = options;
  const answer = ask.length > 0 ? await askAgents(text, options) : await askFloor(text, options, io);
  const { found, asked } = answer;
  await printProblems(answer, io);
  if (asked.every(({ problem }) => problem !== undefined)) {
    await io.stderr.write("plenary: no discovery agent could be asked: check --ask, or plenary agents check\n");
    return 2;
  }
  if (found.length === 0) {
    await io.stderr.write(`plenary: no agent was found for “${printable(text)}”: ${searchHint(options)}\n`);
    return 1;
  }
  if (json) await io.stdout.write(found.map((one) => `${JSON.stringify(one)}\n`).join(""));
  else await io.stdout.write(`${reportOf(found, io)}\n`);
  return 0;
}

async function askFloor(text: string, options: DiscoverCommandOptions, io: Io): Promise<Answer> {
  const { language: languages, layer: layers, scope, limit } = options;
  const floor = await reachFloor(options, io);
  try {
    const body = { text, languages, layers, scope, limit };
    return await floor.call("POST /api/v1/discover", { body });
  } catch (problem) {
    if (!isFloorProblem(problem) || problem.status !== 404) throw problem;
    const remedy = "ask one with --ask URL, or add one with plenary agents add URL";
    throw new FloorError(`the floor knows no discovery agent: ${remedy}`, { status: 404, cause: problem });
  } finally {
    floor.close();
  }
}

async function askAgents(text: string, options: DiscoverCommandOptions): Promise<Answer> {
  const { ask, language: languages, layer: layers, scope, limit } = options;
  const { createDialler, discover } = await import("@plenary/sdk");
  // Agents given with --ask may be dialled at any address; the ones they recommend may not.
  const dialler = createDialler({ mode: "local", exemptUrls: ask });
  try {
    const { found, ...others } = await discover({ text, languages, layers, scope }, { ask, dialler, foundMax: limit });
    const agents = found.map(({ kind, manifest: { score, ...manifest }, reasons }) => ({
      kind,
      ...(score !== undefined && { score }),
      manifest,
      ...(reasons && { reasons }),
    }));
    return { ...others, found: agents };
  } finally {
    await dialler.close();
  }
}

/** Prints failed requests, besides what was found. */
async function printProblems({ asked, unasked }: Answer, io: Io): Promise<void> {
  for (const { serviceUrl, problem } of asked) {
    if (problem === undefined) continue;
    await io.stderr.write(`plenary: ${printable(serviceUrl)} did not answer: ${printable(problem)}\n`);
  }
  if (unasked > 0) await io.stderr.write(`plenary: ${unasked} more discovery agents were recommended but not asked\n`);
}

function searchHint({ language, layer, ask }: DiscoverCommandOptions): string {
  const narrowed = [...(language.length > 0 ? ["--language"] : []), ...(layer.length > 0 ? ["--layer"] : [])];
  const wider = narrowed.length > 0 ? ` leave out ${narrowed.join(" and ")},` : "";
  const elsewhere = ask.length > 0 ? "ask another agent" : "ask elsewhere with --ask URL";
  return `try other words,${wider} ${elsewhere}, or add an agent to the floor with plenary agents add URL`;
}

const widthOfPipe = 100;

function reportOf(found: readonly FoundAgent[], io: Io): string {
  const columns = io.terminal?.columns ?? widthOfPipe;
  const [best] = found;
  const url = shellQuote(printable(best?.manifest.identification.serviceUrl ?? ""));
  const next = `Talk with the first: plenary chat ${url}\nIn a chat: /invite ${url}`;
  return [...foundLines(found, { columns, colours: coloursFor(io.stdout, io.env) }), "", next].join("\n");
}

type ListStyle = { columns: number; colours: Pick<Colours, "bold" | "dim" | "green" | "yellow"> };

const columnsMin = 24;

/** A ranked list with a bar for each agent, without control characters. */
export function foundLines(found: readonly FoundAgent[], { columns, colours }: ListStyle): string[] {
  const width = Math.max(columns, columnsMin);
  return found.flatMap((one, index) => {
    const { manifest, reasons } = one;
    const { serviceUrl, synopsis } = manifest.identification;
    const indent = " ".repeat(String(found.length).length + 1);
    const number = `${String(index + 1).padStart(indent.length - 1)} `;
    const bar = barOf(one.score, width < 60 ? 5 : 10);
    const name = truncate(nameOf(one), width - indent.length - bar.length - 8);
    const detail = (text: string) => (text === "" ? [] : [`${indent}${truncate(text, width - indent.length)}`]);
    return [
      `${number}${colours.green(bar)} ${percentOf(one.score)}  ${colours.bold(name)}`,
      ...detail(printable(synopsis.trim())),
      ...detail(reasons === undefined ? "" : printable(reasonsText(reasons))),
      // Not cut, because people copy it.
      `${indent}${colours.dim(printable(serviceUrl))}`,
    ];
  });
}

function barOf(score: number | undefined, cells: number): string {
  if (score === undefined) return "·".repeat(cells);
  const full = Math.round(score * cells);
  return "█".repeat(full) + "░".repeat(cells - full);
}

function percentOf(score: number | undefined): string {
  return score === undefined ? "  –  " : `${String(Math.round(score * 100)).padStart(3)} %`;
}

function nameOf({ kind, manifest: { identification } }: FoundAgent): string {
  const { conversationalName, organization, speakerUri } = identification;
  const by = organization.trim() === "" ? "" : ` · ${organization.trim()}`;
  const finds = kind === "discovery" ? " (finds others)" : "";
  return printable(`${conversationalName.trim() || speakerUri}${by}${finds}`);
}

/** The reasons in one line: matched words, language, layers, health, recommender. */
function reasonsText({
  words = [],
  language,
  layers = [],
  health,
  via,
  isUnverified,
}: NonNullable<FoundAgent["reasons"]>): string {
  const parts = [
    isUnverified === true ? "not verified" : "",
    words.length > 0 ? `matches ${words.join(", ")}` : "",
    language === undefined ? "" : `knows ${language}`,
    layers.length > 0 ? `has ${layers.join(", ")}` : "",
    health === undefined ? "" : healthWords[health],
    via === undefined ? "" : `recommended by ${via}`,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

const healthWords = { answering: "answers", silent: "does not answer", failing: "answers with errors" } as const;
