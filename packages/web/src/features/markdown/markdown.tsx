import { Marked } from "marked";
import { createElement, Fragment, memo, type ReactNode, useContext, useEffect, useState } from "react";
import { PageServicesContext } from "../../state/context.ts";
import { texts } from "../../texts/texts.ts";
import { Icon } from "../../ui/icon.tsx";
import { withoutCspNoise } from "../csp-noise.ts";
import { followable, LinkTo } from "../link-to.tsx";
import { closeOpen, isHard, isPlain } from "./markdown-source.ts";

type Props = {
  text: string;
  /** The text is still growing. */
  isPartial?: boolean;
};

/** Rendered Markdown. Nothing in it loads or runs. */
export const Markdown = memo(function Markdown({ text, isPartial = false }: Props) {
  const body = isPlain(text) ? <p>{text}</p> : isPartial ? parsed(closeOpen(text)) : remembered(text);
  return (
    <div className="feature-markdown" dir="auto">
      {body}
    </div>
  );
});

/** Cache size: about as much as a person scrolls through. */
const rememberedLettersMax = 1_000_000;
const memory = new Map<string, ReactNode>();
let lettersInMemory = 0;

function remembered(text: string): ReactNode {
  const known = memory.get(text);
  if (known !== undefined) {
    // Moved to the end: the least recently used entry goes first.
    memory.delete(text);
    memory.set(text, known);
    return known;
  }
  const nodes = parsed(text);
  memory.set(text, nodes);
  lettersInMemory += text.length;
  for (const oldest of memory.keys()) {
    if (lettersInMemory <= rememberedLettersMax) break;
    memory.delete(oldest);
    lettersInMemory -= oldest.length;
  }
  return nodes;
}

/** Expensive input is shown unformatted. */
function parsed(text: string): ReactNode {
  try {
    if (!isHard(text)) return nodesOf(markdownBody(text));
  } catch {
    // The parser overflowed on deep nesting.
  }
  return <p className="feature-verbatim">{text}</p>;
}

// A text feature is plain text first, so its line breaks count.
const marked = new Marked({ gfm: true, breaks: true });

/** An inert document: nothing in it loads or runs. Throws when the parser does. */
function markdownBody(text: string): HTMLElement {
  const html = withoutCspNoise(marked.parse(text, { async: false }));
  return new DOMParser().parseFromString(html, "text/html").body;
}

/** Maximum nesting; deeper content keeps only its text. */
const depthMax = 40;

/** Elements that are rendered without attributes. */
const bare = new Set(
  [
    "p blockquote code ul li strong b em i del s u sub sup small mark",
    "kbd samp var q thead tbody tfoot tr caption details summary dl dt dd",
  ].flatMap((names) => names.split(" ")),
);

/** The page's own headings stand above these. */
const headings = new Map(Object.entries({ h1: "h3", h2: "h4", h3: "h5", h4: "h6", h5: "h6", h6: "h6" }));

/** What is in them is no text of the speaker. */
const skipped = new Set(
  "audio head iframe noembed noframes noscript object plaintext script style template title video xmp".split(" "),
);
const htmlNamespace = "http://www.w3.org/1999/xhtml";

/** Builds React nodes from known names and checked attributes only: no markup of others reaches the page. */
function nodesOf(parent: Element | DocumentFragment, depth = 0): ReactNode[] {
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
  if (element.namespaceURI !== htmlNamespace || skipped.has(name)) return null;
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
  const alt = element.getAttribute("alt")?.trim() || texts.features.media.image;
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

/** Code with its language and a copy button. */
function CodeBlock({ code, language }: { code: string; language?: string | undefined }) {
  const [state, setState] = useState<"" | "copied" | "notCopied">("");
  const services = useContext(PageServicesContext);
  useEffect(() => {
    if (state === "") return;
    const timer = setTimeout(() => setState(""), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    const outcome = await copied(code);
    setState(outcome);
    services?.announce(texts.features[outcome]);
  };
  return (
    <figure className="feature-code">
      <figcaption>
        <span>{language ?? texts.features.code}</span>
        <button
          type="button"
          className="button plain small"
          aria-label={state === "" ? texts.features.copyCode : texts.features[state]}
          onClick={() => void copy()}
        >
          <Icon name={state === "copied" ? "check" : "copy"} size={14} />
          {state === "" ? texts.features.copy : texts.features[state]}
        </button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys */}
      <pre tabIndex={0} dir="ltr">
        <code>{code}</code>
      </pre>
    </figure>
  );
}

/** Pages without TLS have no clipboard. */
async function copied(text: string): Promise<"copied" | "notCopied"> {
  try {
    await navigator.clipboard.writeText(text);
    return "copied";
  } catch {
    return "notCopied";
  }
}
