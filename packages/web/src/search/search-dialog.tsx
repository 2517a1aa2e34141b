import { type Line, nameIn, type UtteranceLine } from "@plenary/transcript";
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from "react";
import { plainTextOf } from "../features/plain-text.ts";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import { speakerText, texts } from "../texts/texts.ts";
import { dateAndTime } from "../texts/times.ts";
import { Button } from "../ui/button.tsx";
import { Dialog, ErrorMessage, useFirstFocus } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { useAsyncAction } from "../ui/use-async-action.ts";
import { useListbox } from "../ui/use-listbox.ts";
import { excerptOf, foundLines, indexLines, marked, type TextPiece, termsOf } from "./search-lines.ts";

type Props = { onJump: (seq: number) => void; onClose: () => void };

const shownMax = 100;

/** Full-text search in the loaded conversation. */
export function SearchDialog({ onJump, onClose }: Props) {
  const { conversation, actions } = useOpenConversation();
  const { lines, hasOlder } = conversation;
  const nameOf = useCallback((speakerUri: string) => nameIn(conversation, speakerUri), [conversation]);
  const field = useFirstFocus<HTMLInputElement>();
  const [query, setQuery] = useState("");
  const sought = useDeferredValue(query);
  const terms = useMemo(() => termsOf(sought), [sought]);
  const found = useMemo(() => foundLines(lines, terms, nameOf), [lines, terms, nameOf]);
  const shown = found.slice(0, shownMax);
  const { isBusy, error, run } = useAsyncAction("caller");
  const { inputProps, listProps, optionProps } = useListbox(shown.length, texts.search.label, (index) => {
    const line = shown[index];
    if (line === undefined) return;
    onClose();
    // After the dialog has closed, or the line could not take the focus.
    setTimeout(() => onJump(line.seq));
  });
  const count = terms.length === 0 ? "" : countInWords(found.length, hasOlder);
  const olderText = isBusy ? texts.search.loading : texts.search.earlier;
  useCountSaid(count);
  useReady(lines);
  return (
    <Dialog title={texts.search.title} onClose={onClose} className="ui-search">
      <input
        ref={field}
        className="input"
        type="text"
        enterKeyHint="go"
        placeholder={texts.search.hint}
        value={query}
        maxLength={200}
        onChange={(event) => setQuery(event.target.value)}
        {...inputProps}
      />
      <div className="ui-options" {...listProps}>
        {shown.map((line, index) => (
          <Result
            key={line.seq}
            line={line}
            name={speakerText(line, nameOf)}
            terms={terms}
            props={optionProps(index)}
          />
        ))}
      </div>
      <ErrorMessage text={error} />
      <div className="foot ui-search-foot">
        <p className="quiet">{count || texts.search.explanation}</p>
        {hasOlder && (
          <Button look="small" text={olderText} disabled={isBusy} onClick={() => void run(actions.loadOlder)} />
        )}
      </div>
    </Dialog>
  );
}

type ResultProps = {
  line: UtteranceLine;
  name: string;
  terms: readonly string[];
  props: React.HTMLAttributes<HTMLElement>;
};

function Result({ line, name, terms, props }: ResultProps) {
  const words = useMemo(() => excerptOf(plainTextOf(line.dialogEvent), terms), [line, terms]);
  return (
    <div className="ui-option ui-result" {...props}>
      <p className="ui-result-head">
        <strong>
          <bdi>
            <Marked pieces={marked(name, terms)} />
          </bdi>
        </strong>
        {line.isWhisper && (
          <span className="ui-result-whisper">
            <Icon name="lock" size={14} /> {texts.common.whisper}
          </span>
        )}
        <time className="quiet" dateTime={line.at}>
          {dateAndTime(line.at) || line.at}
        </time>
      </p>
      <p dir="auto">
        <Marked pieces={words} />
      </p>
    </div>
  );
}

function Marked({ pieces }: { pieces: readonly TextPiece[] }) {
  return pieces.map(({ text, isHit }, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name
    return isHit ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>;
  });
}

function countInWords(count: number, hasOlder: boolean): string {
  const found = hasOlder ? texts.search.foundInLoaded(count) : texts.search.found(count);
  return count > shownMax ? texts.search.onlyNewest(found, shownMax) : found;
}
/** Indexes all lines before the first search, in steps that keep the page responsive. */
function useReady(lines: readonly Line[]): void {
  useEffect(() => {
    let timer = setTimeout(readOn, 0, lines.length);
    function readOn(left: number): void {
      const rest = indexLines(lines, left);
      if (rest > 0) timer = setTimeout(readOn, 0, rest);
    }
    return () => clearTimeout(timer);
  }, [lines]);
}

const saidAfterMs = 700;

/** Announced when typing pauses, not at every letter. */
function useCountSaid(count: string): void {
  const { announce } = usePageServices();
  useEffect(() => {
    const timer = setTimeout(() => announce(count), saidAfterMs);
    return () => clearTimeout(timer);
  }, [count, announce]);
}
