import type { Feature, Token } from "@plenary/protocol";
import { shownValue } from "@plenary/protocol";
import { useState } from "react";
import { Parts } from "../texts/parts.tsx";
import { texts } from "../texts/texts.ts";
import { Disclosure } from "./disclosure.tsx";
import { featureText, joined, sizeText } from "./feature-kind.ts";
import { LinkTo } from "./link-to.tsx";
import { Markdown } from "./markdown/markdown.tsx";
import { loadable } from "./url.ts";

const shownAtOnce = 20_000;
const linksMax = 20;
const alternatesMax = 5;
const doubtfulBelow = 0.5;

/** The text of an utterance. */
export function TextFeature({ name, feature }: { name: string; feature: Feature }) {
  const [isWhole, setWhole] = useState(false);
  const words = featureText(feature);
  const isCut = words.length > shownAtOnce && !isWhole;
  return (
    <div className="feature-text" lang={feature.lang} dir="auto">
      {name !== "text" && <p className="feature-name">{name}</p>}
      {words !== "" && <Markdown text={isCut ? cut(words) : words} isPartial={isCut} />}
      {isCut && (
        <button type="button" className="button small" onClick={() => setWhole(true)}>
          {texts.features.showAll(sizeText(words.length))}
        </button>
      )}
      <LinkedText tokens={feature.tokens} />
      <UncertainWords feature={feature} />
    </div>
  );
}

function cut(words: string): string {
  const head = words.slice(0, shownAtOnce);
  return head.slice(0, Math.max(head.lastIndexOf("\n"), head.lastIndexOf(" ")) || shownAtOnce);
}

/** Text at a URL is not fetched; it becomes a link. */
function LinkedText({ tokens }: { tokens: readonly Token[] }) {
  const urls = tokens.flatMap(({ value, valueUrl }) =>
    value === undefined && valueUrl !== undefined ? [valueUrl] : [],
  );
  return urls.slice(0, linksMax).map((address, index) => {
    const url = loadable(address);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one utterance never change
      <p key={index} className="quiet">
        {url === undefined ? (
          texts.features.moreAtBadAddress
        ) : (
          <Parts of={texts.features.moreAt(<LinkTo url={url} words={`${url.host}${url.pathname}`.slice(0, 100)} />)} />
        )}
      </p>
    );
  });
}

/** Words with low confidence, and alternatives. */
function UncertainWords({ feature }: { feature: Feature }) {
  const doubtful = feature.tokens.filter(({ confidence = 1 }) => confidence < doubtfulBelow);
  const others = (feature.alternates ?? []).map(joined).filter((words) => words !== "");
  if (doubtful.length === 0 && others.length === 0) return null;
  return (
    <Disclosure summary={doubtful.length > 0 ? texts.features.misheard : texts.features.alsoHeard}>
      {() => (
        <ul className="feature-heard">
          {doubtful.slice(0, alternatesMax).map(({ value, confidence = 0 }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one utterance never change
            <li key={`doubt ${index}`}>
              {texts.features.sure(shownValue(value).slice(0, 200), Math.round(confidence * 100))}
            </li>
          ))}
          {others.slice(0, alternatesMax).map((words, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one utterance never change
            <li key={`other ${index}`}>{texts.features.heardAs(words.slice(0, 500))}</li>
          ))}
        </ul>
      )}
    </Disclosure>
  );
}
