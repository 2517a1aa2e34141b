import { isSameUri } from "@plenary/protocol";
import type { Ref } from "react";
import { useOpenConversation, usePageServices } from "../state/context.ts";
import type { ConversationState } from "../state/types.ts";
import { texts } from "../texts/texts.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { ComposeForm, type ComposerHandle } from "./compose-form.tsx";

/** The composer, or the reason why there is none. */
export function Composer({ ref }: { ref?: Ref<ComposerHandle> }) {
  const { conversation } = useOpenConversation();
  const { open, mayHost } = usePageServices();
  const end = endNoticeOf(conversation);
  if (end === undefined) return <ComposeForm key={`${conversation.me} ${conversation.id}`} {...(ref && { ref })} />;
  return (
    <section className="compose compose-end" aria-label={texts.compose.label}>
      <Icon name={end.icon} size={20} />
      <p>
        <strong>{end.title}</strong> {end.words}
      </p>
      {mayHost && (
        <button type="button" className="button" onClick={() => open("new")}>
          {texts.common.newConversation}
        </button>
      )}
    </section>
  );
}

type EndNotice = { icon: IconName; title: string; words: string };

function endNoticeOf({ connection, problem, view, me }: ConversationState): EndNotice | undefined {
  if (connection === "loading") return undefined;
  const isSeated = view.conversants.some(({ identification }) => isSameUri(identification.speakerUri, me));
  if (connection === "gone" && isSeated) {
    const words = problem ?? texts.compose.goneWhy;
    return { icon: "warning", title: texts.compose.gone, words };
  }
  if (view.isClosed) {
    return { icon: "lock", title: texts.compose.closed, words: texts.compose.closedWhy };
  }
  if (isSeated) return undefined;
  return {
    icon: "door",
    title: texts.compose.notIn,
    words: texts.compose.notInWhy,
  };
}
