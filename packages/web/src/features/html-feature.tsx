import type { Feature } from "@plenary/protocol";
import { useMemo, useState, useSyncExternalStore } from "react";
import { texts } from "../texts/texts.ts";
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
        title={name === "html" ? texts.features.page : texts.features.pageNamed(name)}
        lang={feature.lang}
        referrerPolicy="no-referrer"
      />
      <figcaption className="feature-bar">
        <span className="quiet">{html.length > htmlMax ? texts.features.pageStart : texts.features.wholePage}</span>
        <button type="button" className="button plain small" aria-expanded={isTall} onClick={() => setTall(!isTall)}>
          {isTall ? texts.features.collapse : texts.features.expand}
        </button>
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
      <Disclosure summary={texts.features.showSource}>
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
