import { DEFAULT_RETRY_FAILED } from '../../../contracts/render/plan';
import { wholeLink } from '../../../contracts/file/frame-links';
import { type TextSource } from '../../../contracts/render/frozen';
import { type CheckedShot, type Json } from '../checked-production';
import { filesOf, isFileParameter, type NamedFile } from '../file-source';
import { type Finding, type Path, wrongKey, wrongValue } from '../../wording/finding';
import { clipSeconds, defaultDeadline } from '../default-deadline';
import { outputFindings, promptFindings } from './nested-findings';
import { isWritten, type RawShot } from '../nested-shots';
import { captionFindings, writtenCaption } from './check-captions';
import { writtenTransition } from './check-transitions';
import { choicesAt, mostCharactersAt, schemaFindings, takesText } from '../text/schema-findings';
import { outputWantedBy } from './shot-links';
import { type ModelCatalogue, parameterOfAnother, type ShotModel, UNNAMED_MODEL } from '../shot-model';
import { didYouMean, shown } from '../../wording/phrases';
import { type ShotCheck } from './shot-check';

/**
 * Keys that `defaults` may set for shots of any model, besides the model's parameters. Omits `review` (`reviewsOf`
 * applies its default) and `transition` (its default is the film's transition).
 */
const DEFAULTED_KEYS = ['deadline', 'retryFailed', 'takes', 'onFailure', 'anchor', 'drift'];

/** Keys of a shot that are not parameters of its model. */
export const OWN_KEYS = ['id', 'model', 'caption', 'transition', 'review', ...DEFAULTED_KEYS];

/** Replaces a file while the person's own schema validates the parameters. Most schemas accept an address. */
const FILE_PLACEHOLDER = 'https://files.invalid/file';

export interface CheckShotContext {
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly catalogue: ModelCatalogue;
  /** Relative paths start at this folder. */
  readonly folder: string;
  /** By shot id, the id of the shot's nested still. Only shots with exactly one still. */
  readonly stills: ReadonlyMap<string, string>;
}

/** Checks one shot against its model, with the defaults merged in. An error in a default is reported at the default. */
export function checkShot(
  { raw, path, texts, nested }: RawShot,
  { defaults, catalogue, folder, stills }: CheckShotContext,
): ShotCheck {
  const id = typeof raw['id'] === 'string' ? raw['id'] : undefined;
  const { model, finding: misnamed } = modelOf(raw, path, defaults, catalogue);

  const inherited = Object.keys(defaults).filter((name) => isInherited(name, raw, model));
  const merged = {
    ...raw,
    ...Object.fromEntries(inherited.map((name) => [name, defaults[name]])),
    model: model.frozen.id,
  };
  const placeOf = (below: Path): Path => [...(inherited.includes(String(below[0])) ? ['defaults'] : path), ...below];

  const { files, findings: fileFindings } = filesOf(withoutOwnKeys(merged), model, folder, stills);
  const findings = [
    ...valueFindings(merged, model),
    ...fileFindings,
    ...anchorFindings(raw, files),
    ...captionFindings(raw['caption'], clipSeconds(model.frozen, merged)),
    ...(misnamed === undefined ? [...outputFindings(model, nested), ...promptFindings(merged, model, nested)] : []),
    ...(model === UNNAMED_MODEL ? slipFindings(raw) : []),
    ...textFindings(withoutOwnKeys(merged)),
    ...ownSchemaFindings(merged, model, texts),
  ]
    // `unfolded` has already checked the id of a nested shot.
    .filter((finding) => nested === undefined || finding.path[0] !== 'id')
    .map((finding) => ({ ...finding, path: placeOf(finding.path) }));
  if (misnamed !== undefined) findings.push(misnamed);

  return {
    id,
    model: misnamed === undefined ? model.frozen : undefined,
    title: model.title,
    path,
    written: raw,
    merged,
    files: files.map((file) => ({ ...file, place: placeOf(file.path) })),
    links: [
      ...files.flatMap(({ source, path: below }) =>
        source.kind === 'link' ? [{ link: source, wants: outputWantedBy(source), path: placeOf(below) }] : [],
      ),
      ...Object.entries(texts).map(([parameter, shot]) => ({
        link: wholeLink(shot),
        wants: 'text' as const,
        path: placeOf([parameter]),
      })),
    ],
    nested,
    clipSeconds: clipSeconds(model.frozen, merged),
    shot: findings.length === 0 && id !== undefined ? asCheckedShot(id, merged, model, files, texts) : undefined,
    findings,
  };
}

function modelOf(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  defaults: Readonly<Record<string, unknown>>,
  catalogue: ModelCatalogue,
): { readonly model: ShotModel; readonly finding?: Finding } {
  const [name, place] =
    'model' in raw ? [raw['model'], [...path, 'model']] : [defaults['model'], ['defaults', 'model']];
  const without = (at: Path, message: string): { model: ShotModel; finding: Finding } => ({
    model: UNNAMED_MODEL,
    finding: wrongValue(at, message),
  });
  if (name === undefined)
    return without([...path, 'model'], 'model is missing; name one here or in defaults, as model: alpha-video');
  if (typeof name !== 'string') return without(place, `model is ${shown(name)}; it must be the name of a model`);
  const found = catalogue.find(name);
  return 'message' in found ? { model: found.meant, finding: wrongValue(place, found.message) } : { model: found };
}

function isInherited(name: string, raw: Readonly<Record<string, unknown>>, model: ShotModel): boolean {
  return name !== 'model' && !(name in raw) && (DEFAULTED_KEYS.includes(name) || model.parameters.includes(name));
}

function valueFindings(merged: Readonly<Record<string, unknown>>, model: ShotModel): readonly Finding[] {
  return schemaFindings(model.shotSchema, merged, ([key]) =>
    OWN_KEYS.includes(String(key)) ? undefined : model.title,
  ).map((finding) => {
    const [key] = finding.path;
    const other =
      finding.at === 'key' && finding.path.length === 1 ? parameterOfAnother(String(key), model) : undefined;
    return other === undefined ? finding : wrongKey(finding.path, other);
  });
}

function ownSchemaFindings(
  merged: Readonly<Record<string, unknown>>,
  model: ShotModel,
  texts: RawShot['texts'],
): readonly Finding[] {
  const { ownSchema, title } = model;
  if (ownSchema === undefined) return [];
  // The form and length of a text that is yet to be written are not known.
  return schemaFindings(ownSchema, withPlaceholders(merged, model), () => title).filter(
    ({ path }) => !(String(path[0]) in texts && takesText(ownSchema, path)),
  );
}

/** Errors for keys that look like misspelled `OWN_KEYS`. Without a model, other unknown keys cannot be checked. */
function slipFindings(raw: Readonly<Record<string, unknown>>): readonly Finding[] {
  return Object.keys(raw).flatMap((key) => {
    const near = OWN_KEYS.includes(key) ? '' : didYouMean(key, OWN_KEYS);
    return near === '' ? [] : [wrongKey([key], `unknown key ${shown(key)}.${near}`)];
  });
}

/** Errors for model-written texts in defaults or flags. `unfolded` has already moved such texts out of shots. */
function textFindings(values: Readonly<Record<string, unknown>>): readonly Finding[] {
  const written = Object.entries(values).filter(([name, value]) => isWritten(name, value));
  return written.map(([name]) =>
    wrongValue(
      [name],
      `only a shot in the production file can have a ${name} that a model writes; here give the text itself`,
    ),
  );
}

/** Checks only the shot's own `anchor`. A default applies only to shots that it fits. */
function anchorFindings(
  { anchor }: Readonly<Record<string, unknown>>,
  files: readonly NamedFile[],
): readonly Finding[] {
  const carries = files.some(
    ({ parameter, source }) => parameter === 'startFrame' && source.kind === 'link' && source.frame === 'last',
  );
  if (anchor !== true || carries) return [];
  const message =
    'anchor corrects the last frame of another shot, and this shot does not start on such a frame; remove anchor, or start the shot on one, as startFrame: { lastFrameOf: shot }';
  return [wrongValue(['anchor'], message)];
}

function withoutOwnKeys(merged: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(merged).filter(([name]) => !OWN_KEYS.includes(name)));
}

function withPlaceholders(
  merged: Readonly<Record<string, unknown>>,
  model: ShotModel,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(spelled(withoutOwnKeys(merged), model)).map(([name, value]) => {
      if (!isFileParameter(name, value, model)) return [name, value];
      return [name, Array.isArray(value) ? value.map(() => FILE_PLACEHOLDER) : FILE_PLACEHOLDER];
    }),
  );
}

function asCheckedShot(
  id: string,
  merged: Readonly<Record<string, unknown>>,
  model: ShotModel,
  files: readonly NamedFile[],
  texts: RawShot['texts'],
): CheckedShot {
  const values = Object.entries(spelled(withoutOwnKeys(merged), model)).sort(([a], [b]) => (a < b ? -1 : 1));
  const caption = writtenCaption(merged);
  const transition = writtenTransition(merged);
  const { deadline, retryFailed, takes, onFailure, anchor } = merged;
  return {
    id,
    model: model.frozen,
    parameters: Object.fromEntries(
      values.filter(([name, value]) => !(name in texts) && !isFileParameter(name, value, model)),
    ) as Record<string, Json>,
    files: Object.fromEntries(
      values
        .filter(([name, value]) => isFileParameter(name, value, model))
        .map(([name, value]) => {
          const sources = files.filter(({ parameter }) => parameter === name).map(({ source }) => source);
          const [only] = sources;
          return [name, Array.isArray(value) || only === undefined ? sources : only];
        }),
    ),
    ...(Object.keys(texts).length === 0 ? {} : { texts: textsOf(texts, model) }),
    ...(caption === undefined ? {} : { caption }),
    ...(merged['drift'] === 'expected' ? { drift: 'expected' as const } : {}),
    ...(transition === undefined ? {} : { transition }),
    deadlineSeconds: typeof deadline === 'number' ? deadline : defaultDeadline(model.frozen, merged),
    retryFailed: typeof retryFailed === 'number' ? retryFailed : DEFAULT_RETRY_FAILED,
    takes: typeof takes === 'number' ? takes : 1,
    review: null,
    ...(model.quick === undefined ? {} : { quick: model.quick }),
    onFailure: onFailure === 'skip' || onFailure === 'fail' ? onFailure : 'park',
    anchor: anchor === true,
  };
}

/** Adds the model's character limit, if known, to each text. */
function textsOf(texts: RawShot['texts'], { known, ownSchema }: ShotModel): Readonly<Record<string, TextSource>> {
  const schema = known?.parameters ?? ownSchema;
  return Object.fromEntries(
    Object.entries(texts).map(([parameter, shot]) => {
      const most = schema === undefined ? undefined : mostCharactersAt(schema, [parameter]);
      return [parameter, { shot, ...(most === undefined ? {} : { maxCharacters: most }) }];
    }),
  );
}

/** Replaces the spelling of a resolution with that of the model's schema. Ignores case. */
function spelled(values: Readonly<Record<string, unknown>>, model: ShotModel): Readonly<Record<string, unknown>> {
  const { resolution } = values;
  if (typeof resolution !== 'string') return values;
  const allowed = resolutionsOf(model);
  const own = allowed.find((name) => name.toLowerCase() === resolution.toLowerCase());
  return { ...values, resolution: own ?? resolution };
}

function resolutionsOf({ known, ownSchema }: ShotModel): readonly string[] {
  const schema = known?.parameters ?? ownSchema;
  return schema === undefined ? [] : choicesAt(schema, ['resolution']).map(String);
}
