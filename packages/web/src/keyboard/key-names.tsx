import { Fragment } from "react";
import { texts } from "../texts/texts.ts";
import { keyNames } from "./key-press.ts";
import { isApple } from "./shortcuts.ts";

/** Key combinations as they are labelled on the keyboard. */
export function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span className="ui-keys">
      {keys.map((key, index) => (
        <Fragment key={key}>
          {index > 0 && <span className="quiet"> {texts.common.or} </span>}
          <span className="ui-chord">
            {keyNames(key, isApple()).map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </span>
        </Fragment>
      ))}
    </span>
  );
}
