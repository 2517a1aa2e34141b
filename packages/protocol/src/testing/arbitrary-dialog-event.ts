// Valid dialog events: every kind of feature, span and token, links that resolve, unspecified keys.
import fc from "fast-check";
import type { DialogEvent } from "../model/dialog-event.ts";
import type { Feature, Token } from "../model/feature.ts";
import type { Span } from "../model/span.ts";

export const some = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

export const text = fc.oneof(
  some("", "hi", "two  blanks ", 'quote " and \\', "\u{1F600}", "@refused I am busy"),
  fc.string({ maxLength: 8 }),
);

const someText = text.map((words) => words || "x");

// Names that every object inherits, that a JSON pointer escapes, or that look like an index.
const freeKeys = ["x-own", "toString", "valueOf", "a/b~c", "", "0"];

const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    text,
    fc.integer(),
    fc.boolean(),
    some(null, 0.5, -1e300),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(some(...freeKeys), tie("value"), { maxKeys: 2, noNullPrototype: true }),
  ),
})).value;

/** Sometimes with unspecified keys; `tempting` are names with a meaning in another dialect. */
export function withMore<T extends object>(value: fc.Arbitrary<T>, tempting: string[] = []): fc.Arbitrary<T> {
  const keys = some(...freeKeys, ...tempting, ...tempting);
  const more = fc.dictionary(keys, json, { minKeys: 1, maxKeys: 2, noNullPrototype: true });
  const maybe = fc.oneof({ arbitrary: some<Record<string, unknown>>({}), weight: 4 }, more);
  return fc.tuple(value, maybe).map(([known, others]) => ({ ...others, ...known }));
}

/** One agent may have two names, one address two agents, and a name may look like an address. */
export const serviceUrl = some(
  "https://a.example/of",
  "https://b.example",
  "http://localhost:8080/c?x=1#y",
  "wss://d.example/\u00fc",
  "tag://e.example",
);

export const speakerUri = fc.oneof(
  some("tag:a.example,2025:1", "tag:b.example,2025:2", "urn:uuid:1", "x:\u{1F600}"),
  serviceUrl,
  // Ids that the dialect 0.9 wraps because they are no URI, and similar URIs.
  some("b%20k", "%C3%BC", "b k".length.toString(), "a%3Ab", "b%2fk", "%FF", "%zz", "\u00fc", "").map(
    (wrapped) => `tag:plenary.invalid,2024:speaker/${wrapped}`,
  ),
  fc.stringMatching(/^[a-z]{1,3}:[!-~]{1,6}$/),
);

const time = some("2025-01-31T10:05:00Z", "2024-02-29t23:59:60.123456+05:30", "2025-12-01T00:00:00-23:59");
const offset = some("PT0S", "PT1.5S", "P1DT2H", "P2W", "P1Y2M3D", "PT0,5S");

const span: fc.Arbitrary<Span> = fc
  .tuple(
    fc.oneof(fc.record({ startTime: time }), fc.record({ startOffset: offset })),
    fc.oneof(some({}), fc.record({ endTime: time }), fc.record({ endOffset: offset })),
  )
  .map(([start, end]) => ({ ...start, ...end }));

type Value = NonNullable<Token["value"]>;

function tokenOf(value: fc.Arbitrary<Value>): fc.Arbitrary<Token> {
  const content = fc.oneof(fc.record({ value }), fc.record({ valueUrl: speakerUri }));
  const about = fc.record({ span, confidence: some(0, 0.25, 1) }, { requiredKeys: [] });
  return withMore(fc.tuple(content, about).map(([what, more]) => ({ ...what, ...more })));
}

function featureOf(mimeType: fc.Arbitrary<string>, value: fc.Arbitrary<Value>): fc.Arbitrary<Feature> {
  const tokens = fc.array(tokenOf(value), { maxLength: 2 });
  const lang = some("en", "en-US", "zh-Hant-TW", "de-1996", "x-own", "i-klingon");
  const encoding = some("UTF-8", "iso-8859-1");
  return withMore(
    fc.record(
      { mimeType, tokens, alternates: fc.array(tokens, { maxLength: 2 }), lang, encoding, tokenSchema: text },
      { requiredKeys: ["mimeType", "tokens"] },
    ),
  );
}

const anyValue = fc.oneof(json).filter((value): value is Value => value !== null);
const customFeature = featureOf(some("text/plain", "image/png", "application/x.y+json;z"), anyValue);

// The dialect 0.9 writes a context of this form in another place.
const contextFeature = fc.oneof(
  text.map((value): Feature => ({ mimeType: "text/plain", tokens: [{ value }] })),
  customFeature,
);

const textFeature = featureOf(some("text/plain", "text/plain; charset=utf-8"), text);

const features = fc.record(
  {
    text: textFeature,
    html: featureOf(some("text/html", "application/xhtml+xml ;x=1"), text),
    audio: featureOf(some("audio/wav", "audio/x-flac"), some("", "UklGRg==", "AAAA\nAAA=")),
    ssml: featureOf(some("application/ssml+xml"), some("<speak>hi</speak>", "<?xml version='1.0'?> <speak/>")),
    context: contextFeature,
    toString: customFeature,
    "my video": customFeature,
  },
  { requiredKeys: [] },
);

const id = fc.oneof(
  some("de:1", "de:1:plenary:history", "x:plenary:reason", "x:plenary:history:plain", ":plenary:history", "x:plain"),
  someText,
);

/** Tokens of one feature link to another feature, or to all features. */
function linked(dialogEvent: DialogEvent): DialogEvent {
  const [first, ...rest] = Object.entries(dialogEvent.features);
  const [name, feature] = rest.at(-1) ?? [];
  if (first === undefined || name === undefined || feature === undefined) return dialogEvent;
  const links = ["$", `$[${JSON.stringify(first[0])}]`, "$..mimeType"];
  if (dialogEvent.features.context !== undefined) links.push("$.context.mimeType");
  const tokens = feature.tokens.map((token) => ({ ...token, links }));
  return { ...dialogEvent, features: { ...dialogEvent.features, [name]: { ...feature, tokens } } };
}

/** As in a history: the text may be missing. */
export const arbitraryDialogEvent: fc.Arbitrary<DialogEvent> = fc
  .tuple(
    withMore(
      fc.record(
        { id, speakerUri, span, features, previousId: text },
        { requiredKeys: ["id", "speakerUri", "span", "features"] },
      ),
      ["speakerId", "speakerID"],
    ),
    fc.boolean(),
  )
  .map(([dialogEvent, hasLinks]) => (hasLinks ? linked(dialogEvent) : dialogEvent));

/** As in an utterance: the text is not empty. */
export const arbitrarySpokenEvent: fc.Arbitrary<DialogEvent> = fc
  .tuple(
    arbitraryDialogEvent,
    textFeature,
    fc.oneof(fc.record({ value: someText }), fc.record({ valueUrl: serviceUrl })),
  )
  .map(([dialogEvent, { tokens, ...text }, token]) => ({
    ...dialogEvent,
    features: { ...dialogEvent.features, text: { ...text, tokens: [...tokens, token] } },
  }));
