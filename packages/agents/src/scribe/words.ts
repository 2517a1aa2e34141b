/** The words that carry meaning. */
const stop = new Set(
  `a about after again all also am an and any are as at be because been before being but by can cannot could did do does
  doing done down each few for from get go going got had has have having he her here hers him his how i if in into is it
  its just know like make many may me might more most much must my need no nor not now of off ok okay on once one only or
  other our out over own please really right said same say see shall she should so some such sure tell than thank thanks
  that the their them then there these they thing things think this those through to too under until up us very want was
  we well were what when where which while who whom why will with would yes yet you your let lets hello hi bye
  der die das und ist nicht ich du er sie es wir ihr ein eine einen dem den des im in zu mit auf fuer für von auch aber
  dann doch noch schon so wie was wer wo`.split(/\s+/u),
);

const words = new Intl.Segmenter("en", { granularity: "word" });
const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

/** In the order in which they come, in the form in which they are compared. */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const { segment, isWordLike } of words.segment(text.normalize("NFKC").toLowerCase())) {
    if (isWordLike !== true) continue;
    const bare = segment.replace(/['’].*$/u, "");
    if (bare.length > 1 && !stop.has(bare) && !/^\d+$/u.test(bare)) terms.push(singular(bare));
  }
  return terms;
}

/** Plural and singular are the same thing; more of grammar would be a guess. */
export function singular(word: string): string {
  return /[^su\W]s$/u.test(word) && word.length > 3 && !word.endsWith("is") ? word.slice(0, -1) : word;
}

/** Where a paragraph, a heading or a point of a list begins, no sentence goes on; the mark of a point is none of its words. */
const breaks = /\n\s*\n|\n(?=\s*(?:[-*•]|#{1,6}|\d{1,3}[.)])\s)/u;
const mark = /^\s*(?:[-*•]|#{1,6}|\d{1,3}[.)])\s+/u;

export function sentencesOf(text: string): string[] {
  return text
    .split(breaks)
    .flatMap((part) => segmentsOf(part.replace(mark, "").replaceAll(/\s+/gu, " ")))
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** What stands between backticks is an example: no sentence ends within it. */
function segmentsOf(part: string): string[] {
  const found: string[] = [];
  let isWithin = false;
  for (const { segment } of sentences.segment(part)) {
    if (isWithin) found.push(`${found.pop() ?? ""}${segment}`);
    else found.push(segment);
    if (segment.split("`").length % 2 === 0) isWithin = !isWithin;
  }
  return found;
}

export function wordCountOf(text: string): number {
  return text.split(/\s+/u).length;
}
