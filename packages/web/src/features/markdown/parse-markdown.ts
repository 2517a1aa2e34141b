import DOMPurify, { type Config, type DOMPurify as Purifier } from "dompurify";
import { Marked } from "marked";
import { withoutCspNoise } from "../csp-noise.ts";

const allowed: Config = {
  ALLOWED_TAGS: [
    ...["p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "ul", "ol", "li", "input"],
    ...["strong", "b", "em", "i", "del", "s", "u", "sub", "sup", "small", "mark", "kbd", "samp", "var", "q", "abbr"],
    ...[
      "a",
      "img",
      "table",
      "thead",
      "tbody",
      "tfoot",
      "tr",
      "th",
      "td",
      "caption",
      "details",
      "summary",
      "dl",
      "dt",
      "dd",
    ],
  ],
  ALLOWED_ATTR: ["href", "src", "alt", "title", "class", "start", "align", "type", "checked"],
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  ALLOWED_NAMESPACES: ["http://www.w3.org/1999/xhtml"],
};

// A text feature is plain text first, so its line breaks count.
const marked = new Marked({ gfm: true, breaks: true });

let purifier: Purifier | undefined;

/** Sanitized nodes of an inert document: nothing loads, and no text is parsed twice. Throws when the parser does. */
export function markdownBody(text: string): DocumentFragment {
  purifier ??= DOMPurify(window);
  return purifier.sanitize(withoutCspNoise(marked.parse(text, { async: false })), {
    ...allowed,
    RETURN_DOM_FRAGMENT: true,
  });
}
