import type { Feature } from "@plenary/protocol";
import { useMemo, useState, useSyncExternalStore } from "react";
import { Disclosure } from "./disclosure.tsx";
import { featureText } from "./feature-kind.ts";
import { frameOf, linksIn } from "./html-frame.ts";
import { LinkTo } from "./link-to.tsx";

const htmlMax = 200_000;
const sourceMax = 20_000;

/** Shows HTML in a sandboxed frame without scripts. */
export function HtmlFeature({ name, feature }: { name: string; feature: Feature }) {
  const [isTall, setTall] = useState(false);
  const theme = useTheme();
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
        title={name === "html" ? "Formatted page" : `Formatted page ${name}`}
        lang={feature.lang}
        referrerPolicy="no-referrer"
      />
      <figcaption className="feature-bar">
        <span className="quiet">
          {html.length > htmlMax ? "The beginning of a page" : "A page"}, shown without scripts, styles and what it
          would load
        </span>
        <button type="button" className="button plain small" aria-expanded={isTall} onClick={() => setTall(!isTall)}>
          {isTall ? "Collapse" : "Expand"}
        </button>
      </figcaption>
      {links.length > 0 && (
        <Disclosure summary={links.length === 1 ? "1 link in it" : `${links.length} links in it`}>
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
      <Disclosure summary="Show source">
        {() => (
          <pre className="feature-raw" dir="ltr">
            {html.slice(0, sourceMax)}
            {html.length > sourceMax && "\n..."}
          </pre>
        )}
      </Disclosure>
    </figure>
  );
}

/** The current theme, for documents in frames. */
function useTheme(): "light" | "dark" {
  return useSyncExternalStore(onThemeChange, themeNow);
}

function themeNow(): "light" | "dark" {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
