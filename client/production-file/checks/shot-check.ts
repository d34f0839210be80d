import { type FrozenModel } from '../../../contracts/render/frozen';
import { type CheckedShot } from '../checked-production';
import { type NamedFile } from '../file-source';
import { type Finding, type Path } from '../../wording/finding';
import { type RawShot } from '../nested-shots';
import { type PlacedLink } from './shot-links';

/** The result of checking one shot. Files and links are checked later, together with those of other shots. */
export interface ShotCheck {
  readonly id: string | undefined;
  /** Undefined if the model is invalid. */
  readonly model: FrozenModel | undefined;
  readonly title: string;
  readonly path: Path;
  /** The shot's own values, without defaults. An error in one of them is reported at the shot. */
  readonly written: Readonly<Record<string, unknown>>;
  /** The shot's own values and the defaults that it inherits. */
  readonly merged: Readonly<Record<string, unknown>>;
  readonly files: readonly (NamedFile & { readonly place: Path })[];
  readonly links: readonly Omit<PlacedLink, 'shot'>[];
  readonly nested: RawShot['nested'] | undefined;
  /** Length of the shot's clip in seconds; null if not known in advance. */
  readonly clipSeconds: number | null;
  readonly shot: CheckedShot | undefined;
  readonly findings: readonly Finding[];
}
