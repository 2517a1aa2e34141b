import { Component, type ReactNode } from "react";
import { texts } from "../texts/texts.ts";

type Props = { seq: number | undefined; children: ReactNode };
type State = { isBroken: boolean };

/** An item that cannot be rendered does not break the page. */
export class ItemErrorBoundary extends Component<Props, State> {
  override state: State = { isBroken: false };

  static getDerivedStateFromError(): State {
    return { isBroken: true };
  }

  override render(): ReactNode {
    const { seq, children } = this.props;
    if (!this.state.isBroken) return children;
    return (
      <p className="note warning">
        {seq === undefined ? texts.transcript.cannotShow : texts.transcript.cannotShowEntry(seq)}
      </p>
    );
  }
}
