// Manifests as a catalogue of the world may hold them, and what people ask it: words are as frequent as in real texts.

/** The same numbers in each run. */
function chance(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const syllables =
  "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri fro gru pla ste tri sho chi".split(" ");
const wordsInAll = 12_000;
const languages = ["en", "en-us", "de", "fr", "es", "it", "cy", "ja", "pt-br", "nl"];

function vocabulary(random) {
  const words = new Set();
  while (words.size < wordsInAll) {
    const length = 2 + Math.floor(random() * 3);
    words.add(Array.from({ length }, () => syllables[Math.floor(random() * syllables.length)]).join(""));
  }
  return [...words];
}

/** Zipf and Mandelbrot: few words are said often, most hardly ever. Small words, said most, are left out. */
function zipf(words, random) {
  const shift = 20;
  const whole = Math.log((words.length + shift) / shift);
  return () => words[Math.min(words.length - 1, Math.floor(shift * Math.exp(random() * whole) - shift))];
}

export function createWorld(count, seed = 1) {
  const random = chance(seed);
  const word = zipf(vocabulary(random), random);
  const phrase = (least, most) =>
    Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, word).join(" ");
  const list = (least, most, make) => Array.from({ length: least + Math.floor(random() * (most - least + 1)) }, make);
  const capability = () => ({
    keyphrases: list(4, 10, () => phrase(1, 3)),
    descriptions: list(1, 3, () => phrase(6, 14)),
    ...(random() < 0.8 && { languages: list(1, 3, () => languages[Math.floor(random() * languages.length)]) }),
    ...(random() < 0.3 && { supportedLayers: { input: ["text", "voice"], output: ["text", "voice"] } }),
  });
  const manifests = Array.from({ length: count }, (_, at) => ({
    identification: {
      speakerUri: `tag:agent${at}.example,2025:1`,
      serviceUrl: `https://agent${at}.example/openfloor`,
      organization: phrase(1, 2),
      conversationalName: phrase(1, 1),
      department: phrase(1, 2),
      role: phrase(1, 2),
      synopsis: phrase(5, 10),
    },
    capabilities: list(1, 1, capability).concat(random() < 0.4 ? list(1, 3, capability) : []),
  }));
  /** Questions, keywords, slips of the pen, languages and layers. */
  const request = () => {
    const [one] = list(1, 1, () => phrase(1, 7));
    const slipped = random() < 0.25 ? `${one.slice(0, 3)}${one.slice(4)}` : one;
    const asked = random() < 0.5 ? `can somebody please help me with ${slipped} in the city of ${word()}?` : slipped;
    return random() < 0.2 ? `${asked} in German by voice` : asked;
  };
  return { manifests, requests: (many) => Array.from({ length: many }, request) };
}
