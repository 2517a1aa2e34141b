// Search terms of a text: without stop words and endings, with every part of a camelCase name.

const smallWords = new Set(
  `a about actually again all also am an and any anything are as at be because been before being but by can contain
  contains could did do does doing done each else ever exist exists explain for from get give given go going got had
  happen happens has have having he hello help hey hi how i if in include includes inside instead into is it its just
  know let like list look make makes may me mean meaning means might mine more most much must my need no not of off ok
  on only or other our out over own please possible really s same see shall she should show so some somebody someone
  something such sure t tell than thank thanks that the their them then there these they thing things this those through
  to too understand up us use used using very want was way we well were what whatever when where whether which while who
  whom whose why will with work working works would yes you your yours`.split(/\s+/u),
);

/** Words of the passages that occur in questions about anything. */
const everyday = new Set(
  `answer best big call colour date day first good hour human last life long man many minute month name new next now number
  old one open order page people person place question read right said say second short start story talk three time today
  two understand watch word world write year`
    .split(/\s+/u)
    .map(stem),
);

/** Everyday words for terms of the specifications. */
const synonyms = new Map(
  Object.entries({
    attendee: "conversant",
    bot: "agent",
    bots: "agent",
    chairperson: "convener",
    channelling: "channeling",
    convenor: "convener",
    delegation: "delegate",
    dm: "whisper",
    kick: "remove",
    member: "conversant",
    members: "conversant",
    mediation: "mediate",
    message: "utterance",
    messages: "utterance",
    moderator: "convener",
    participant: "conversant",
    participants: "conversant",
    room: "floor",
    shortcut: "keys",
    shortcuts: "keys",
    transcript: "export",
  }),
);

/** Questions that consist of stop words, and terms that stand in for them. */
const phrases: readonly [RegExp, string][] = [
  [/^\W*who are you\W*$|^\W*what(?:'s| is) your name\W*$|\bwho is here\b/iu, "welcome conversation guide"],
  [
    /^\W*where am i\W*$|^\W*what is this(?: place| page| thing)?\W*$|\bworks? (?:offline|without (?:the |a )?(?:internet|network|cloud))\b|\bneeds? (?:the )?internet\b/iu,
    "plenary",
  ],
  [
    /\bare you (?:an? )?(?:ai|bot|robot|llm|machine|computer|chatgpt|program|language model)\b|^\W*what are you\W*$/iu,
    "guide agent",
  ],
  [/\b(?:(?:my|our|your) own|makes?|making)\b(?: an?| my| our| new)* (?:agents?|bots?)(?: here)?\W*$/iu, "write agent"],
  [/\bhow (?:do|can) i (?:begin|start)\W*$|\bget started\b/iu, "start plenary"],
];

export function termsOf(text: string): string[] {
  const words = text.match(/\d+(?:\.\d+)+|[\p{L}\p{N}]+/gu) ?? [];
  return words.flatMap((word) => partsOf(word).flatMap(termOf));
}

/** All passages are about these subjects, so they count only if the question has no other term. */
const subjects = /\bopen[- ]?floor(?: protocol)?\b|\bplenary\b/giu;

export function termsOfQuestion(text: string): string[] {
  const asked = phrases.find(([phrase]) => phrase.test(text))?.[1] ?? text;
  const terms = termsOf(asked.replaceAll(subjects, " "));
  return terms.some(isDistinctive) ? terms : termsOf(asked);
}

function partsOf(word: string): string[] {
  const parts = word.split(/(?<=\p{Ll})(?=\p{Lu})/u);
  return parts.length === 1 ? parts : [word, ...parts];
}

function termOf(word: string): string[] {
  const lower = word.toLowerCase();
  return smallWords.has(lower) ? [] : [stem(synonyms.get(lower) ?? lower)];
}

/** A distinctive term can identify a passage by itself. */
export function isDistinctive(term: string): boolean {
  return !everyday.has(term) && !/^\d+$/u.test(term);
}

/** English endings, roughly: invites, invited and inviting are one. */
function stem(word: string): string {
  if (word.length < 4 || /\d/u.test(word)) return word;
  const one = word.replace(/ies$/u, "y").replace(/(?<![su])s$/u, "");
  const bare = one.replace(/(?<=[aeiouy].*[^e])(?:ing|ed)$/u, "");
  const even = bare === one ? one : bare.replace(/([bdfgmnprt])\1$/u, "$1");
  return even.length > 4 ? even.replace(/e$/u, "") : even;
}
