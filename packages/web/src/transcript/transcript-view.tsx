import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { errorText } from "../api/floor.ts";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import { texts } from "../texts/texts.ts";
import { dayNameOf } from "../texts/times.ts";
import { ItemErrorBoundary } from "../ui/error-boundary.tsx";
import { Icon } from "../ui/icon.tsx";
import { Note } from "./note.tsx";
import { DraftItem, UnsentItem } from "./pending-items.tsx";
import { type TranscriptItem, transcriptItems } from "./transcript-items.ts";
import { Utterance } from "./utterance.tsx";

const nearEndPx = 120;
const nearStartPx = 800;

/** `wanted` is the entry to scroll to; a new object scrolls again. */
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
  // A conversation opens at its end and stays there when the composer grows.
  useEffect(() => virtual.scrollToEnd(), [virtual]);
  // An utterance that arrives during a draft is inserted before it, which the virtual list does not count as appending.
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
        aria-label={texts.transcript.label}
      >
        <div
          className="column"
          role="log"
          aria-label={texts.common.conversation}
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

/** Readers who scrolled up are not moved; a button leads to the end. */
function ToEnd({ unseen, onClick }: { unseen: number; onClick: () => void }) {
  return (
    <button type="button" className="button to-end" onClick={onClick}>
      <Icon name="down" size={16} />
      {unseen > 0 ? texts.transcript.newCount(unseen) : texts.transcript.toEnd}
    </button>
  );
}

function Shown({ item, wanted }: { item: TranscriptItem | undefined; wanted: number | undefined }) {
  if (item === undefined) return null;
  // An item that failed as a draft may render when it is finished.
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

/** Scrolls to the end when the reader sends an utterance. */
function useScrollOnSend(count: number, onSpoken: () => void): void {
  const last = useRef(count);
  useEffect(() => {
    if (count > last.current) onSpoken();
    last.current = count;
  });
}

function useResized(place: RefObject<HTMLElement | null>, onResized: () => void): void {
  const resized = useEffectEvent(onResized);
  useEffect(() => {
    const observer = new ResizeObserver(() => resized());
    if (place.current !== null) observer.observe(place.current);
    return () => observer.disconnect();
  }, [place]);
}

/** Estimated height; rendered items are measured. */
function sizeOf(item: TranscriptItem | undefined): number {
  if (item?.kind === "note") return 34;
  if (item?.kind === "day") return 56;
  return item?.kind === "utterance" && item.isContinued ? 40 : 84;
}

/** Number of utterances since the reader left the end. */
function useUnseen(items: readonly TranscriptItem[], isAtEnd: boolean): number {
  const said = items.reduce((count, { kind }) => count + (kind === "utterance" ? 1 : 0), 0);
  const seen = useRef(said);
  if (isAtEnd) seen.current = said;
  return Math.max(said - seen.current, 0);
}

/** Loads one older page at a time. */
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

/** If the reader is still near the start after loading, the next page loads too. */
function useLoadMoreAtStart(firstSeq: number | undefined, look: () => void): void {
  const known = useRef(firstSeq);
  useEffect(() => {
    if (known.current === firstSeq) return;
    known.current = firstSeq;
    look();
  });
}

/** Loads older pages until the wanted entry is there, then scrolls to it. */
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
    // The item is rendered after the next layout; a focus inside of it stays.
    setTimeout(() => {
      const found = document.querySelector<HTMLElement>(`[data-utterance="${wanted.seq}"]`);
      if (found?.contains(document.activeElement) === false) found.focus({ preventScroll: true });
    }, 50);
  }, [wanted, items, conversation, loadOlder, show]);
}
