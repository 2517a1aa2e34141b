import { Fragment } from "react";
import { texts } from "../texts/texts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { isApple, keyNames, shortcuts, writingKeys } from "./shortcuts.ts";

type Row = { keys: readonly string[]; id: keyof typeof texts.shortcuts };

const everywhere = shortcuts.filter(({ when }) => when === undefined);
const inConversation = shortcuts.filter(({ when }) => when === "conversation");

export function HelpDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={texts.help.title} onClose={onClose} className="ui-help">
      <div className="ui-help-tables">
        <KeyTable title={texts.help.everywhere} rows={everywhere} />
        <KeyTable title={texts.help.writing} rows={writingKeys} />
        <KeyTable title={texts.help.conversation} rows={inConversation} />
      </div>
      <p className="quiet">{texts.help.singleKeys}</p>
      <section aria-labelledby="ui-words">
        <h3 id="ui-words">{texts.help.wordsTitle}</h3>
        <dl className="ui-glossary">
          {texts.help.words.map(({ word, meaning }) => (
            <div key={word}>
              <dt>{word}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </section>
    </Dialog>
  );
}

function KeyTable({ title, rows }: { title: string; rows: readonly Row[] }) {
  return (
    <table className="ui-key-table">
      <caption>{title}</caption>
      <thead className="unseen">
        <tr>
          <th scope="col">{texts.help.what}</th>
          <th scope="col">{texts.help.keys}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ keys, id }) => (
          <tr key={id}>
            <th scope="row">{texts.shortcuts[id]}</th>
            <td>
              <Keys keys={keys} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

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
