import type { Feature } from "@plenary/protocol";
import DOMPurify, { type Config, type DOMPurify as Purifier } from "dompurify";
import { useMemo, useState, useSyncExternalStore } from "react";
import { texts } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { withoutCspNoise } from "./csp-noise.ts";
import { Disclosure, RawText } from "./disclosure.tsx";
import { featureText } from "./feature-kind.ts";
import { followable, LinkTo } from "./link-to.tsx";

const htmlMax = 200_000;
const sourceMax = 20_000;

/** Shows HTML in a sandboxed frame without scripts. */
export function HtmlFeature({ name, feature }: { name: string; feature: Feature }) {
  const [isTall, setTall] = useState(false);
  const theme = useSyncExternalStore(onThemeChange, themeNow);
  const html = featureText(feature);
  const { frame, links } = useMemo(() => {
    const shown = html.slice(0, htmlMax);
    return { frame: frameOf(shown, theme), links: linksIn(shown) };
  }, [html, theme]);
  if (html === "") return null;
  return (
    <figure className="feature-box">
      <iframe
        className={isTall ? "feature-frame tall" : "feature-frame"}
        sandbox=""
        srcDoc={frame}
        title={name === "html" ? texts.features.page : texts.features.pageNamed(name)}
        lang={feature.lang}
        referrerPolicy="no-referrer"
      />
      <figcaption className="feature-bar">
        <span className="quiet">{html.length > htmlMax ? texts.features.pageStart : texts.features.wholePage}</span>
        <Button
          look="plain small"
          text={isTall ? texts.features.collapse : texts.features.expand}
          aria-expanded={isTall}
          onClick={() => setTall(!isTall)}
        />
      </figcaption>
      {links.length > 0 && (
        <Disclosure summary={texts.features.links(links.length)}>
          {() => (
            <ul className="feature-links">
              {links.map(({ url, words }) => (
                <li key={url.href}>
                  <LinkTo url={url} words={words} /> <span className="quiet">{url.host || url.protocol}</span>
                </li>
              ))}
            </ul>
          )}
        </Disclosure>
      )}
      <RawText
        summary={texts.features.showSource}
        text={() => `${html.slice(0, sourceMax)}${html.length > sourceMax ? "\n..." : ""}`}
      />
    </figure>
  );
}

function themeNow(): "light" | "dark" {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}

const allowed: Config = {
  ALLOWED_TAGS: [
    "p br hr wbr h1 h2 h3 h4 h5 h6 blockquote pre code ul ol li dl dt dd",
    "div span section article header footer main aside nav figure figcaption address",
    "strong b em i del ins s u sub sup small big mark kbd samp var q cite",
    "abbr dfn time a img ruby rt rp bdi bdo center details summary meter progress",
    "table thead tbody tfoot tr th td caption colgroup col",
  ].flatMap((tags) => tags.split(" ")),
  ALLOWED_ATTR: [
    "alt title src width height dir lang colspan rowspan span scope start reversed",
    "datetime open align valign border cellpadding cellspacing value max min",
  ].flatMap((attributes) => attributes.split(" ")),
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  ALLOWED_NAMESPACES: ["http://www.w3.org/1999/xhtml"],
};

const inlineImage = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=\s]+$/iu;
const linksMax = 20;

let purifier: Purifier | undefined;

function createPurifier(): Purifier {
  const made = DOMPurify(window);
  made.addHook("uponSanitizeAttribute", (_node, attribute) => {
    if (attribute.attrName === "src" && !inlineImage.test(attribute.attrValue)) attribute.keepAttr = false;
  });
  return made;
}

/** A document for a frame, without scripts, forms, links and external addresses. */
function frameOf(html: string, theme: "light" | "dark"): string {
  purifier ??= createPurifier();
  const body = purifier.sanitize(withoutCspNoise(html), { ...allowed, RETURN_DOM: false });
  // The page's content security policy applies inside too and forbids inline styles, so attributes set the look.
  return [
    '<!doctype html><html><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">`,
    `<meta name="color-scheme" content="${theme}"><meta name="referrer" content="no-referrer"></head>`,
    `<body><font face="system-ui, sans-serif"><div dir="auto">${body}</div></font></body></html>`,
  ].join("");
}

/** The links of a document, shown outside the frame. */
function linksIn(html: string): { url: URL; words: string }[] {
  const inert = new DOMParser().parseFromString(withoutCspNoise(html), "text/html");
  const found = new Map<string, { url: URL; words: string }>();
  for (const link of inert.querySelectorAll("a[href]")) {
    const url = followable(link.getAttribute("href") ?? "");
    if (url === undefined || found.has(url.href)) continue;
    found.set(url.href, { url, words: link.textContent?.trim().slice(0, 100) || url.href });
    if (found.size >= linksMax) break;
  }
  return [...found.values()];
}
