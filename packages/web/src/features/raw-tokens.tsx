import type { Feature } from "@plenary/protocol";
import { Disclosure } from "./disclosure.tsx";

const stringMax = 500;
const jsonMax = 8_000;

/** The tokens as they came, as far as a person would read. */
export function RawTokens({ feature }: { feature: Feature }) {
  return (
    <Disclosure summary="Show raw">
      {() => (
        <pre className="feature-raw" dir="ltr">
          {rawOf(feature)}
        </pre>
      )}
    </Disclosure>
  );
}

function rawOf({ tokens, alternates }: Feature): string {
  const shorten = (_key: string, value: unknown) =>
    typeof value === "string" && value.length > stringMax
      ? `${value.slice(0, stringMax)}... (${value.length} characters)`
      : value;
  const some = tokens.slice(0, 100);
  const json = JSON.stringify(alternates === undefined ? some : { tokens: some, alternates }, shorten, 2);
  const isCut = json.length > jsonMax || some.length < tokens.length;
  return isCut ? `${json.slice(0, jsonMax)}\n... (not all of it is shown)` : json;
}
