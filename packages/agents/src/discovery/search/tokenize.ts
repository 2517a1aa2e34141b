// Turns texts into comparable terms: folds accents, drops stop words, stems English endings.

/** Stop words by language. They also show the language of a request. */
const smallWordsOf = {
  en: `a about actually again all also am an and any anybody anyone anything are as at be because been being but by can could
  did didn do does doesn doing don done else every for from get gets getting give given go goes going got had has have
  haven having he hello help hers hey hi him his how i if in into is isn it its just kind kindly know let like little ll
  look looking lot made make makes may maybe me might mine more most much must my need needs no not of off oh ok on one
  or other our out over own please really require s shall she should so some somebody speak speaks speaking someone something somewhere such
  sure t tell than thank thanks that the their them then there these they thing things this those to too up us use using
  ve very wanna want wants was way we well were what whatever when where whether which while who whom whose why will with
  won wonder wondering would yes you your yours`,
  de: `aber als am an auch auf aus bei bin bitte brauche brauchen braucht dann das dass dein dem den der des doch du ein
  eine einem einen einer eines er es fur gibt habe haben hatte ich ihr im ins ist jemand kann kannst konnen mein meine
  meinem meinen meiner mich mir mit mochte mochten nach nicht noch nur oder sein sich sie sind suche uber um und uns von
  vom vor wann was wer wie wir wird wo zu zum zur`,
  fr: `au aux avec avoir besoin ce ces cette dans de des du elle en est et il ils je jai la le les leur ma mes mon ne nous on ou
  par pas peut peux plus pour puis quel quelle qui que sa se ses suis sur ta te tu un une veux voudrais vous`,
  es: `al algo alguien como con cual cuando de del donde el ella en es esta este hay la las lo los me mi mis necesito o para
  pero por puede puedo que quien quiero se si sin su sus te tengo tu un una y yo`,
  it: `che chi ci con cosa da dal dei del della di dove e ho il in io la le lo mi nei nel nella non o posso quando
  qualcuno si sono un una uno vorrei`,
  pt: `com da das de do e ela ele em eu na nas no nos o os ou para por preciso quero que se um uma`,
  nl: `aan dat de een en het hoe ik in is kan met mijn naar niet of om op te voor wat wie wil zijn`,
};
const smallSets = Object.entries(smallWordsOf).map(([tag, words]) => ({ tag, words: new Set(words.split(/\s+/u)) }));
const smallWords = new Set(smallSets.flatMap(({ words }) => [...words]));

/** By the stop words of a request; empty when no language has a clear majority. */
export function guessLanguage(words: readonly string[]): string[] {
  const counts = smallSets.map(({ tag, words: small }) => ({
    tag,
    count: words.filter((one) => small.has(one)).length,
  }));
  const [most, next] = counts.sort((one, other) => other.count - one.count);
  return most !== undefined && most.count > Math.max(1, next?.count ?? 0) ? [most.tag] : [];
}

/** Common words: they add to a match and seldom make one alone. */
const everydayWords = `agent answer ask assistant baby back bad become before begin best better big book bot break bring broke
  broken brother buy call cancel care change check child children choose city come convert cost country daughter date day
  die end expert explain family fast father feel few find first fix follow forget forgot free friend full girl good great
  guy hand happen hate hear here home hope hour house hurt husband keep kid last learn leave life listen live local long
  lose lost love man many mean meaning men minute month morning mother move name near new next nice night now number old
  open order organise pay people person place plan put question quick read ready recommend remember right run said same
  say search second see sell send service set short show sister small son specialist start stay still stop take talk teach
  test think three time tip today together told tomorrow tonight town try turn two understand until visit wait walk watch
  week weekend wife wish woman women word work world write wrong year yesterday young
  gut heute jetzt morgen neu tag woche zeit aujourdhui bien demain jour nouveau hoy manana nuevo oggi domani nuovo`;

const synonyms = new Map(
  Object.entries({
    apartment: "flat",
    attorney: "lawyer",
    automobile: "car",
    cellphone: "mobile",
    cinema: "movie",
    film: "movie",
    garbage: "rubbish",
    gp: "doctor",
    hire: "rent",
    luggage: "baggage",
    math: "mathematics",
    maths: "mathematics",
    physician: "doctor",
    plane: "flight",
    railway: "rail",
    railroad: "rail",
    rental: "rent",
    solicitor: "lawyer",
    subway: "underground",
    till: "until",
    trash: "rubbish",
    vacation: "holiday",
    wlan: "wifi",
  }),
);

/** Not stemmed: they mean something else than their stem. */
const wholeWords = new Set(["training", "meeting", "building", "during", "evening", "news", "currency", "times"]);

const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;
const beyondAscii = /[\u0080-\uffff]/;
const ofNames: Record<string, string> = { ß: "ss", æ: "ae", ø: "o", œ: "oe", ł: "l", đ: "d", ı: "i" };

/** Lower case without accents. Keeps the voicing marks of kana. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (!beyondAscii.test(lower)) return lower;
  return lower
    .normalize("NFD")
    .replaceAll(/[\u0300-\u036f]/gu, "")
    .replaceAll(/[ßæøœłđı]/gu, (letter) => ofNames[letter] ?? letter)
    .normalize("NFC");
}

export function wordsOf(folded: string): string[] {
  const words: string[] = [];
  eachWord(folded, (word) => words.push(word));
  return words;
}

export function eachWord(folded: string, take: (word: string) => void): void {
  if (beyondAscii.test(folded)) {
    const words = folded.match(/[\p{L}\p{N}]+/gu) ?? [];
    for (const word of unspaced.test(folded) ? words.flatMap(segmentsOf) : words) take(word);
    return;
  }
  // ASCII, the most common case, is several times faster without a regex.
  let start = 0;
  for (let at = 0; at < folded.length; at += 1) {
    if (isLetterOrDigit[folded.charCodeAt(at)] === 1) continue;
    if (at > start) take(folded.slice(start, at));
    start = at + 1;
  }
  if (folded.length > start) take(folded.slice(start));
}

const isLetterOrDigit = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[a-zA-Z0-9]/.test(String.fromCharCode(code))),
);

const segmenter = new Intl.Segmenter("ja", { granularity: "word" });

/** For scripts without spaces between words. Single kana syllables are grammar and left out. */
function segmentsOf(run: string): string[] {
  if (!unspaced.test(run)) return [run];
  return [...segmenter.segment(run)].flatMap(({ segment }) =>
    /^(?:\p{sc=Hiragana}{1,2}|\p{sc=Katakana})$/u.test(segment) ? [] : segment,
  );
}

const termsKept = new Map<string, string>();
const termsKeptMax = 50_000;

/** Empty for a stop word. */
export function termOf(word: string): string {
  const kept = termsKept.get(word);
  if (kept !== undefined) return kept;
  const isSmall = smallWords.has(word) || (word.length === 1 && !/\d/u.test(word) && !unspaced.test(word));
  const term = isSmall ? "" : stem(synonyms.get(word) ?? word);
  if (termsKept.size >= termsKeptMax) termsKept.clear();
  termsKept.set(word, term);
  return term;
}

/** Keeps the stop words of a phrase with nothing else: `will` is also a document. */
export function termsOf(text: string): string[] {
  const words = wordsOf(fold(text));
  const terms = words.flatMap((word) => termOf(word) || []);
  return terms.length === 0 ? words : terms;
}

/** English endings, roughly: insures, insured, insuring and insurance are one. */
function stem(word: string): string {
  if (word.length < 4 || /\d/u.test(word) || wholeWords.has(word)) return word;
  const one = word
    .replace(/ncies$|ncy$/u, "nt")
    .replace(/(?:ies?|y)$/u, "i")
    .replace(/(?<=s|x|z|ch|sh)es$|(?<![su])s$/u, "");
  const bare = one
    .replace(/(?<=[aeiouy].*[^e])(?:ing|ed)$/u, "")
    .replace(/(?<=^.{4,}[st])ions?$/u, "")
    .replace(/(?<=^.{5,})(?:al|ance|ence|ible|able|ment)$/u, "");
  const even = bare === one ? one : bare.replace(/([bdfgmnprt])\1$/u, "$1");
  return even.length > 3 ? even.replace(/(?<=.{3})e$/u, "") : even;
}

const everyday = new Set(everydayWords.split(/\s+/u).map(stem));

export function isCommonTerm(term: string): boolean {
  return everyday.has(term) || /^\d+$/u.test(term);
}
