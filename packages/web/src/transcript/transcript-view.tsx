import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { errorText } from "../api/client.ts";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import { Icon } from "../ui/icon.tsx";
import { ItemErrorBoundary } from "./item-error-boundary.tsx";
import { Note } from "./note.tsx";
import { DraftItem, UnsentItem } from "./pending-items.tsx";
import { dayNameOf } from "./times.ts";
import { type TranscriptItem, transcriptItems } from "./transcript-items.ts";
import { Utterance } from "./utterance.tsx";

const nearEndPx = 120;
const nearStartPx = 800;

/** `wanted` is the entry to bring into sight; a new object asks again. */
export function TranscriptView({ wanted }: { wanted: { seq: number } | undefined }) {
  const { conversation } = useOpenConversation();
  const { me, lines, drafts, unsent, hasOlder } = conversation;
  const said = { me, lines, drafts, unsent, hasOlder };
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are all that is in it
  const items = useMemo(() => transcriptItems(said), [me, lines, drafts, unsent, hasOlder]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => sizeOf(items[index]),
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: 8,
    paddingStart: 24,
    paddingEnd: 24,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: nearEndPx,
  });
  const [isAtEnd, setAtEnd] = useState(true);
  const unseen = useUnseen(items, isAtEnd);
  const loadOlder = useOlder();
  const look = () => {
    const { current } = scroller;
    if (current === null) return;
    setAtEnd(current.scrollHeight - current.scrollTop - current.clientHeight < nearEndPx);
    if (current.scrollTop < nearStartPx) loadOlder();
  };
  useLoadMoreAtStart(conversation.entries[0]?.seq, look);
  // A conversation opens at its end, and stays there when the field below it grows.
  useEffect(() => virtual.scrollToEnd(), [virtual]);
  // What is said while somebody else is still speaking stands before the draft: for the list that is no appending.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when something was added
  useEffect(() => {
    if (isAtEnd) virtual.scrollToEnd();
  }, [items.length]);
  useScrollOnSend(unsent.length, () => virtual.scrollToEnd());
  useResized(scroller, () => isAtEnd && virtual.scrollToEnd());
  useScrollToWanted(wanted, items, (index) => virtual.scrollToIndex(index, { align: "center" }));

  return (
    <div className="transcript">
      <section
        ref={scroller}
        className="scroller"
        onScroll={look}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
        tabIndex={0}
        aria-label="What was said"
      >
        <div
          className="column"
          role="log"
          aria-label="Conversation"
          aria-live="off"
          style={{ height: virtual.getTotalSize() }}
        >
          {virtual.getVirtualItems().map(({ key, index, start }) => (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="place"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Shown item={items[index]} wanted={wanted?.seq} />
            </div>
          ))}
        </div>
      </section>
      {!isAtEnd && <ToEnd unseen={unseen} onClick={() => virtual.scrollToEnd({ behavior: "smooth" })} />}
    </div>
  );
}

/** The page does not jump under whoever reads further up. */
function ToEnd({ unseen, onClick }: { unseen: number; onClick: () => void }) {
  return (
    <button type="button" className="button to-end" onClick={onClick}>
      <Icon name="down" size={16} />
      {unseen > 0 ? `${unseen} new` : "To the end"}
    </button>
  );
}

function Shown({ item, wanted }: { item: TranscriptItem | undefined; wanted: number | undefined }) {
  if (item === undefined) return null;
  // What was a draft that could not be shown may be shown once it is finished.
  return (
    <ItemErrorBoundary key={item.kind} seq={"line" in item ? item.line.seq : undefined}>
      <Content item={item} wanted={wanted} />
    </ItemErrorBoundary>
  );
}

function Content({ item, wanted }: { item: TranscriptItem; wanted: number | undefined }) {
  switch (item.kind) {
    case "day":
      return (
        <h3 className="day">
          <span>{dayNameOf(item.day)}</span>
        </h3>
      );
    case "utterance":
      return <Utterance line={item.line} isContinued={item.isContinued} isFound={item.line.seq === wanted} />;
    case "note":
      return <Note line={item.line} isFound={item.line.seq === wanted} />;
    case "draft":
      return <DraftItem draft={item.draft} />;
    case "unsent":
      return <UnsentItem unsent={item.unsent} />;
  }
}

/** Whoever speaks wants to see it said, wherever they were reading. */
function useScrollOnSend(count: number, onSpoken: () => void): void {
  const last = useRef(count);
  useEffect(() => {
    if (count > last.current) onSpoken();
    last.current = count;
  });
}

function useResized(place: RefObject<HTMLElement | null>, onResized: () => void): void {
  const newest = useRef(onResized);
  useEffect(() => {
    newest.current = onResized;
  });
  useEffect(() => {
    const observer = new ResizeObserver(() => newest.current());
    if (place.current !== null) observer.observe(place.current);
    return () => observer.disconnect();
  }, [place]);
}

/** A first guess; each is measured when it is shown. */
function sizeOf(item: TranscriptItem | undefined): number {
  if (item?.kind === "note") return 34;
  if (item?.kind === "day") return 56;
  return item?.kind === "utterance" && item.isContinued ? 40 : 84;
}

/** How much was said since the reader left the end. */
function useUnseen(items: readonly TranscriptItem[], isAtEnd: boolean): number {
  const said = items.reduce((count, { kind }) => count + (kind === "utterance" ? 1 : 0), 0);
  const seen = useRef(said);
  if (isAtEnd) seen.current = said;
  return Math.max(said - seen.current, 0);
}

/** Goes back one page at a time, when the reader comes near the start of what is there. */
function useOlder(): () => void {
  const { conversation, actions } = useOpenConversation();
  const { toast } = usePageServices();
  const isLoading = useRef(false);
  return () => {
    if (!conversation.hasOlder || isLoading.current) return;
    isLoading.current = true;
    actions
      .loadOlder()
      .catch((error) => toast(errorText(error), "error"))
      .finally(() => {
        isLoading.current = false;
      });
  };
}

/** Whoever is still at the start when older lines have come cannot scroll there, and wants those before them, too. */
function useLoadMoreAtStart(firstSeq: number | undefined, look: () => void): void {
  const known = useRef(firstSeq);
  useEffect(() => {
    if (known.current === firstSeq) return;
    known.current = firstSeq;
    look();
  });
}

/** Loads as far back as needed, then shows it. */
function useScrollToWanted(
  wanted: { seq: number } | undefined,
  items: readonly TranscriptItem[],
  show: (index: number) => void,
): void {
  const loadOlder = useOlder();
  const { conversation } = useOpenConversation();
  const done = useRef<{ seq: number } | undefined>(undefined);
  useEffect(() => {
    if (wanted === undefined || done.current === wanted) return;
    const index = items.findIndex((item) => "line" in item && item.line.seq >= wanted.seq);
    const isLoaded = (conversation.entries[0]?.seq ?? 0) <= wanted.seq;
    if (!isLoaded && conversation.hasOlder) {
      loadOlder();
      return;
    }
    done.current = wanted;
    show(index === -1 ? items.length - 1 : index);
    // It is there when the list has been laid out anew; whoever is inside of it already stays there.
    setTimeout(() => {
      const found = document.querySelector<HTMLElement>(`[data-utterance="${wanted.seq}"]`);
      if (found?.contains(document.activeElement) === false) found.focus({ preventScroll: true });
    }, 50);
  }, [wanted, items, conversation, loadOlder, show]);
}
