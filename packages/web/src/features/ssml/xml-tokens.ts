/** Tokens of an XML text, however broken it is. Only the five predefined entities are known, so nothing can expand. */
type XmlToken =
  | { kind: "open"; name: string; attributes: Readonly<Record<string, string>>; isEmpty: boolean }
  | { kind: "close"; name: string }
  | { kind: "text"; text: string };

const skipped: readonly (readonly [start: string, end: string])[] = [
  ["<!--", "-->"],
  ["<?", "?>"],
];

export function* xmlTokens(source: string): Generator<XmlToken> {
  let at = 0;
  while (at < source.length) {
    const next = source.indexOf("<", at);
    if (next !== at) {
      const end = next < 0 ? source.length : next;
      yield { kind: "text", text: unescaped(source.slice(at, end)) };
      at = end;
      continue;
    }
    const { token, end } = markupAt(source, at);
    if (token !== undefined) yield token;
    at = end;
  }
}

function markupAt(source: string, at: number): { token?: XmlToken; end: number } {
  if (source.startsWith("<![CDATA[", at)) {
    const end = endOf(source, "]]>", at);
    return { token: { kind: "text", text: source.slice(at + 9, end).replace(/\]\]>$/u, "") }, end };
  }
  for (const [start, end] of skipped) if (source.startsWith(start, at)) return { end: endOf(source, end, at) };
  if (source.startsWith("<!", at)) return { end: endOfDoctype(source, at) };
  // A bare "<" is an unescaped character of the text.
  if (!/^<\/?[A-Za-z_]/u.test(source.slice(at, at + 3))) return { token: { kind: "text", text: "<" }, end: at + 1 };
  const end = endOfTag(source, at);
  return { token: tagOf(source.slice(at + 1, end).replace(/>$/u, "")), end };
}

function endOf(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from);
  return at < 0 ? source.length : at + mark.length;
}

/** A document type is skipped with its entities. */
function endOfDoctype(source: string, from: number): number {
  const bracket = source.indexOf("[", from);
  const close = endOf(source, ">", from);
  return bracket < 0 || bracket > close ? close : endOf(source, ">", endOf(source, "]", bracket));
}

function endOfTag(source: string, from: number): number {
  let quote = "";
  for (let at = from + 1; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === ">") return at + 1;
  }
  return source.length;
}

const attribute = /\s([\w:.-]{1,64})\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)')/gu;

function tagOf(inside: string): XmlToken {
  const [, slash, name = ""] = /^(\/?)([A-Za-z_][\w:.-]*)/u.exec(inside) ?? [];
  if (slash === "/") return { kind: "close", name: name.toLowerCase() };
  const attributes: Record<string, string> = Object.create(null);
  for (const [, key = "", a, b] of inside.slice(name.length).matchAll(attribute))
    attributes[key.toLowerCase()] = unescaped(a ?? b ?? "");
  return { kind: "open", name: name.toLowerCase(), attributes, isEmpty: inside.endsWith("/") };
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(#x[\da-f]{1,6}|#\d{1,7}|amp|lt|gt|quot|apos);/giu, (whole, name: string) => {
    if (name[0] !== "#") return entities[name.toLowerCase()] ?? whole;
    const code = /^#x/iu.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
