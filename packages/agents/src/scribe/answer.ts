import type { Feature } from "@plenary/protocol";
import type { Remembered } from "@plenary/sdk";
import { welcome } from "../addressing.ts";
import { howOften, theLast, whatWasSaid, whenCame, whoMentioned, whoWasHere } from "./answers.ts";
import { exportOf, scribeFormats } from "./export.ts";
import type { Frame, History } from "./history.ts";
import { help, noted } from "./phrases.ts";
import { nameShown } from "./quote.ts";
import type { Question, Request } from "./request.ts";
import { listOf, nothing, sinceLine, summaryOf, whoSaidWhat } from "./summary.ts";

export type Answered = {
  text: string;
  features?: Record<string, Feature>;
  /** It rests on what was said, and would be another for other listeners. */
  isAboutRecord: boolean;
};

type Ground = { history: History; told: readonly Remembered[]; frame: Frame; isPrivate: boolean };

export async function answerTo(request: Request, ground: Ground): Promise<Answered> {
  const plain = (text: string) => ({ text, isAboutRecord: false });
  switch (request.kind) {
    case "help":
      return plain(help);
    case "thanks":
      return plain(welcome);
    case "note":
      return plain(noted);
    case "since":
      return plain(sinceLine(ground.history));
    case "exportUnknown":
      return plain(exportsWords(nameShown(request.format)));
    case "export": {
      const exported = exportOf(request.format, ground.told, { ...ground, ...ground.frame });
      if (exported === undefined) return { text: nothing("", ground.history), isAboutRecord: true };
      return { text: exported.text, features: { transcript: exported.feature }, isAboutRecord: true };
    }
    default:
      return { text: await wordsFor(request, ground.history), isAboutRecord: true };
  }
}

function exportsWords(asked: string): string {
  return `I cannot write ${asked}. I export as ${scribeFormats.join(", ")}; for html use **Export** on the page, or \`plenary export\`.`;
}

async function wordsFor(request: Question, history: History): Promise<string> {
  switch (request.kind) {
    case "summary":
      return summaryOf(request.part, history);
    case "whoSaidWhat":
      return whoSaidWhat(request.part, history);
    case "decisions":
    case "questions":
      return listOf(request.kind, request.part, history);
    case "said":
      return whatWasSaid(request, history);
    case "mentions":
      return whoMentioned(request.about, history);
    case "last":
      return theLast(request.speaker, history);
    case "count":
      return howOften(request, history);
    case "joined":
    case "left":
      return whenCame(request.kind, request.speaker, history);
    case "people":
      return whoWasHere(history);
  }
}
