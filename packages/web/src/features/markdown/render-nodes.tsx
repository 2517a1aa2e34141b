import { createElement, Fragment, type ReactNode } from "react";
import { texts } from "../../texts/texts.ts";
import { LinkTo } from "../link-to.tsx";
import { followable } from "../url.ts";
import { CodeBlock } from "./code-block.tsx";

/** Maximum nesting; deeper content keeps only its text. */
const depthMax = 40;

/** Elements that are rendered without attributes. */
const bare = new Set([
  ...["p", "blockquote", "code", "ul", "li", "strong", "b", "em", "i", "del", "s", "u", "sub", "sup", "small", "mark"],
  ...["kbd", "samp", "var", "q", "thead", "tbody", "tfoot", "tr", "caption", "details", "summary", "dl", "dt", "dd"],
]);

/** The page's own headings stand above these. */
const headings: ReadonlyMap<string, string> = new Map([
  ...[["h1", "h3"] as const, ["h2", "h4"] as const, ["h3", "h5"] as const],
  ...["h4", "h5", "h6"].map((name) => [name, "h6"] as const),
]);

/** Builds React nodes from known names and attributes only, so a failure of the sanitizer would not reach the page. */
export function nodesOf(parent: Element | DocumentFragment, depth = 0): ReactNode[] {
  if (depth > depthMax) return [parent.textContent];
  return Array.from(parent.childNodes, (node, index) => {
    if (node.nodeType === Node.TEXT_NODE) return isBetweenCells(parent, node) ? null : node.nodeValue;
    if (node.nodeType !== Node.ELEMENT_NODE) return null;
    return <Fragment key={String(index)}>{nodeOf(node as Element, depth)}</Fragment>;
  });
}

function isBetweenCells(parent: Element | DocumentFragment, { nodeValue }: Node): boolean {
  return (
    parent instanceof Element && /^(?:table|thead|tbody|tfoot|tr)$/u.test(parent.localName) && nodeValue?.trim() === ""
  );
}

function nodeOf(element: Element, depth: number): ReactNode {
  const name = element.localName;
  const heading = headings.get(name);
  const inside = () => nodesOf(element, depth + 1);
  if (bare.has(name) || heading !== undefined) return createElement(heading ?? name, null, ...inside());
  switch (name) {
    case "a":
      return linkOf(element, inside());
    case "img":
      return imageOf(element);
    case "pre":
      return codeOf(element);
    case "table":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
        <div className="feature-table" tabIndex={0}>
          <table>{inside()}</table>
        </div>
      );
    case "th":
    case "td":
      return createElement(name, { "data-align": alignOf(element) }, ...inside());
    case "ol":
      return <ol start={Number.parseInt(element.getAttribute("start") ?? "1", 10) || 1}>{inside()}</ol>;
    case "input":
      return checkboxOf(element);
    case "abbr":
      return <abbr title={element.getAttribute("title") ?? undefined}>{inside()}</abbr>;
    case "br":
    case "hr":
      return createElement(name);
    default:
      return inside();
  }
}

function linkOf(element: Element, inside: ReactNode[]): ReactNode {
  const url = followable(element.getAttribute("href") ?? "");
  if (url === undefined) return inside;
  const words = element.textContent ?? "";
  const title = element.getAttribute("title") ?? undefined;
  return (
    <LinkTo url={url} words={words} title={title}>
      {words.trim() === "" && element.querySelector("img") === null ? url.href : inside}
    </LinkTo>
  );
}

/** Loading an image would tell its host that it is read, so it becomes a link. */
function imageOf(element: Element): ReactNode {
  const alt = element.getAttribute("alt")?.trim() || texts.features.imageWord;
  const url = followable(element.getAttribute("src") ?? "");
  if (url === undefined || element.closest("a") !== null) return `[${alt}]`;
  return (
    <LinkTo url={url} words={alt}>
      {texts.features.image(alt)}
    </LinkTo>
  );
}

function codeOf(element: Element): ReactNode {
  const shown = element.querySelector("code")?.getAttribute("class") ?? "";
  const [, language] = /^language-([\w+#.-]{1,30})/u.exec(shown) ?? [];
  return <CodeBlock code={(element.textContent ?? "").replace(/\n$/u, "")} language={language} />;
}

function alignOf(element: Element): string | undefined {
  return /^(?:left|center|right)$/u.exec(element.getAttribute("align") ?? "")?.[0];
}

function checkboxOf(element: Element): ReactNode {
  if (element.getAttribute("type") !== "checkbox") return null;
  const isDone = element.hasAttribute("checked");
  return (
    <input
      type="checkbox"
      disabled
      checked={isDone}
      readOnly
      aria-label={isDone ? texts.features.done : texts.features.toDo}
    />
  );
}
