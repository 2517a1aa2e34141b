import { faceOf, nameIn, type UtteranceLine } from "@plenary/transcript";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { Features } from "../features/features.tsx";
import { plainTextOf } from "../features/plain-text.ts";
import { withoutQuestion } from "../prompts/read-prompts.ts";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import { pathOf } from "../state/location.ts";
import type { ConversationState } from "../state/types.ts";
import { Parts, speakerText, texts } from "../texts/texts.ts";
import { timeOf, wholeTimeOf } from "../texts/times.ts";
import { Avatar, SpeakerName } from "../ui/avatar.tsx";
import { TitledIconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";

/** Loaded on demand: few conversations have questions. */
const PromptCard = lazy(async () => ({ default: (await import("../prompts/prompt-card.tsx")).PromptCard }));

type Props = { line: UtteranceLine; isContinued: boolean; isFound: boolean };

export function Utterance({ line, isContinued, isFound }: Props) {
  const { conversation } = useOpenConversation();
  const { sender, seq, isWhisper, dialogEvent } = line;
  const prompt = conversation.prompts.find((one) => one.seq === seq);
  const looks = ["utterance", isWhisper && "whisper", isContinued && "continued", isFound && "found"];
  return (
    <UtteranceFrame
      sender={sender}
      looks={looks}
      label={labelOf(line, conversation)}
      isMine={sender === conversation.me}
      seq={seq}
      head={isContinued ? null : <Head line={line} />}
    >
      <Features dialogEvent={prompt === undefined ? dialogEvent : withoutQuestion(dialogEvent, prompt)} />
      {prompt && (
        <Suspense>
          <PromptCard prompt={prompt} />
        </Suspense>
      )}
      <Tools line={line} />
    </UtteranceFrame>
  );
}

type FrameProps = {
  sender: string;
  looks: readonly (string | false)[];
  label: string;
  isMine: boolean;
  head: ReactNode;
  children: ReactNode;
  seq?: number;
  isBusy?: boolean;
};

/** Layout of utterances, drafts and unsent utterances. */
export function UtteranceFrame({ sender, looks, label, isMine, head, children, seq, isBusy }: FrameProps) {
  const { conversation } = useOpenConversation();
  const identification = conversation.identifications.get(sender);
  const seat = conversation.view.conversants.find((one) => one.identification.speakerUri === sender);
  return (
    <article
      className={[...looks, isMine && "mine"].filter(Boolean).join(" ")}
      aria-label={label}
      aria-busy={isBusy}
      data-hue={faceOf(sender, identification).hue}
      {...(seq !== undefined && { "data-utterance": seq, tabIndex: -1 })}
    >
      <div className="side">
        {head !== null && (
          <Avatar
            speakerUri={sender}
            identification={identification}
            kind={seat?.kind ?? (isMine ? "person" : "agent")}
          />
        )}
      </div>
      <div className="body">
        {head}
        {children}
      </div>
    </article>
  );
}

function Head({ line }: { line: UtteranceLine }) {
  const { conversation } = useOpenConversation();
  const { sender, to, at, isWhisper, relayedFrom, approvedBy, hadFloor } = line;
  // One's own roles are not shown.
  const roles = Object.entries(conversation.view.assignedFloorRoles).flatMap(([role, who]) =>
    who.includes(sender) && sender !== conversation.me ? [role] : [],
  );
  return (
    <header className="head">
      <strong className="speaker">
        <SpeakerName speakerUri={sender} you={texts.common.you.subject} />
      </strong>
      {relayedFrom !== undefined && (
        <span className="aside">
          <Parts of={texts.transcript.relaying(<SpeakerName speakerUri={relayedFrom} />)} />
        </span>
      )}
      {roles.map((role) => (
        <span key={role} className="role">
          {role}
        </span>
      ))}
      {isWhisper && <WhisperBadge />}
      {to !== undefined && (
        <span className="aside">
          <Parts of={texts.transcript.to(<SpeakerName speakerUri={to} />)} />
        </span>
      )}
      {approvedBy !== undefined && (
        <span className="aside">
          <Parts of={texts.transcript.approvedBy(<SpeakerName speakerUri={approvedBy} />)} />
        </span>
      )}
      {hadFloor === false && <span className="aside unfloored">{texts.transcript.withoutFloor}</span>}
      <time className="aside time" dateTime={at} title={wholeTimeOf(at)}>
        {timeOf(at)}
      </time>
    </header>
  );
}

function labelOf(line: UtteranceLine, conversation: ConversationState): string {
  const { me } = conversation;
  const name = (speakerUri: string) => (speakerUri === me ? texts.common.you.object : nameIn(conversation, speakerUri));
  const { sender, to, isWhisper, at } = line;
  const speaker = speakerText(line, (speakerUri) =>
    speakerUri === me && sender === me ? texts.common.you.subject : name(speakerUri),
  );
  const labelTo = isWhisper ? texts.transcript.labelPrivatelyTo : texts.transcript.labelTo;
  const addressee = to === undefined ? "" : labelTo(name(to));
  return `${speaker}${addressee}, ${timeOf(at)}`;
}

/** Actions for an utterance, visible on hover and focus. */
function Tools({ line }: { line: UtteranceLine }) {
  const { conversation } = useOpenConversation();
  const { toast } = usePageServices();
  const [isOpen, setOpen] = useState(false);
  const copy = (text: string, done: string) => {
    navigator.clipboard.writeText(text).then(
      () => toast(done),
      () => toast(texts.common.cannotCopy, "error"),
    );
  };
  const link = new URL(pathOf({ conversation: conversation.id, seq: line.seq }), location.href).href;
  const entry = conversation.entries.find(({ seq }) => seq === line.seq);
  return (
    <>
      <div className="tools">
        <TitledIconButton
          icon="copy"
          size={15}
          isSmall
          label={texts.transcript.copyText}
          onClick={() => copy(plainTextOf(line.dialogEvent), texts.transcript.textCopied)}
        />
        <TitledIconButton
          icon="link"
          size={15}
          isSmall
          label={texts.transcript.copyLink}
          onClick={() => copy(link, texts.head.linkCopied)}
        />
        <TitledIconButton
          icon="card"
          size={15}
          isSmall
          label={texts.transcript.showEvent}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </div>
      {isOpen && (
        <pre
          className="wire"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
          tabIndex={0}
        >
          {JSON.stringify(entry, null, 2)}
        </pre>
      )}
    </>
  );
}

export function WhisperBadge() {
  return (
    <span className="secret">
      <Icon name="lock" size={13} /> {texts.common.whisper}
    </span>
  );
}
