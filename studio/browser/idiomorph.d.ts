/** The package idiomorph, which the studio serves beside its own scripts. */
export const Idiomorph: {
  morph(
    old: Element,
    fresh: Element,
    options: {
      readonly morphStyle: 'innerHTML' | 'outerHTML';
      readonly callbacks?: {
        beforeNodeMorphed?(old: Node, fresh: Node): boolean;
        beforeNodeRemoved?(node: Node): boolean;
        beforeAttributeUpdated?(name: string, element: Element, how: 'update' | 'remove'): boolean;
      };
    },
  ): void;
};
