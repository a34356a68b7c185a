// A component that is only drawn again if what it shows has changed.

import { Component, type ComponentChild, createElement, type FunctionComponent, type VNode } from "preact";

/** `isSame` tells whether the new props show the same as the old ones. */
export function memo<Props extends object>(
  draw: (props: Props) => VNode | null,
  isSame: (before: Props, after: Props) => boolean,
): FunctionComponent<Props> {
  class Kept extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      return !isSame(this.props as Props, next);
    }
    override render(): ComponentChild {
      return createElement(draw as FunctionComponent<Props>, this.props as Props);
    }
  }
  return (props) => createElement(Kept, props);
}
