import type { Manifest } from "@plenary/protocol";
import type { Reasons } from "@plenary/sdk";
import { cut } from "../columns.ts";
import { printable } from "../printable.ts";
import type { Colours } from "../render-issue.ts";

/** Somebody who was found, as a floor tells of it. */
export type Foundling = { kind: "servicing" | "discovery"; score?: number; manifest: Manifest; reasons?: Reasons };

type Sheet = { columns: number; colours: Pick<Colours, "bold" | "dim" | "green" | "yellow"> };

const columnsMin = 24;

/** A ranked list with a bar for each. What agents say of themselves steers no terminal. */
export function foundLines(found: readonly Foundling[], { columns, colours }: Sheet): string[] {
  const width = Math.max(columns, columnsMin);
  return found.flatMap((one, index) => {
    const { manifest, reasons } = one;
    const { serviceUrl, synopsis } = manifest.identification;
    const indent = " ".repeat(String(found.length).length + 1);
    const number = `${String(index + 1).padStart(indent.length - 1)} `;
    const bar = barOf(one.score, width < 60 ? 5 : 10);
    const name = cut(nameOf(one), width - indent.length - bar.length - 8);
    const detail = (text: string) => (text === "" ? [] : [`${indent}${cut(text, width - indent.length)}`]);
    return [
      `${number}${colours.green(bar)} ${percentOf(one.score)}  ${colours.bold(name)}`,
      ...detail(printable(synopsis.trim())),
      ...detail(reasons === undefined ? "" : printable(reasonsText(reasons))),
      // Whole, since people copy it.
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

function nameOf({ kind, manifest: { identification } }: Foundling): string {
  const { conversationalName, organization, speakerUri } = identification;
  const by = organization.trim() === "" ? "" : ` · ${organization.trim()}`;
  const finds = kind === "discovery" ? " (finds others)" : "";
  return printable(`${conversationalName.trim() || speakerUri}${by}${finds}`);
}

/** Why, as one line: what was found of the request, what else fits, how it is, and who knows it. */
function reasonsText({ words, language, layers = [], health, via, isUnverified }: Reasons): string {
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

const healthWords = { answering: "answers", silent: "does not answer", failing: "answers wrongly" } as const;
