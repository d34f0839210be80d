import { DEFAULT_RETRY_FAILED } from '../../contracts/plan';
import { type FrameLink, type FrozenModel } from '../../contracts/frozen';
import { type CheckedShot, type Json } from './checked-production';
import { filesOf, isFileParameter, type NamedFile } from './file-source';
import { type Finding, type Path, wrongKey, wrongValue } from './finding';
import { clipSeconds, defaultDeadline } from './default-deadline';
import { choicesAt, schemaFindings } from './schema-findings';
import { type ModelCatalogue, parameterOfAnother, type ShotModel } from './shot-model';
import { shown } from './wording';

/** Those of a shot's own keys that defaults may set for any model. A default review is looked up along the links. */
const DEFAULTED_KEYS = ['deadline', 'retryFailed', 'takes', 'onFailure', 'anchor'];

/** What a shot has beside its model's parameters; never sent. */
export const OWN_KEYS = ['id', 'model', 'caption', 'review', ...DEFAULTED_KEYS];

/** Stands in for a file while the person's own schema looks at the parameters; an address fits most of them. */
const FILE_PLACEHOLDER = 'https://files.invalid/file';

/** One shot after its own check; files and links are looked into together with those of the others. */
export interface ShotCheck {
  readonly id: string | undefined;
  /** Undefined where the model is not known to be right. */
  readonly model: FrozenModel | undefined;
  readonly title: string;
  readonly path: Path;
  /** As it is written. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly files: readonly (NamedFile & { readonly place: Path })[];
  readonly links: readonly { readonly link: FrameLink; readonly path: Path }[];
  /** Length of its clip in seconds; null where only the clip will tell. */
  readonly clipSeconds: number | null;
  readonly shot: CheckedShot | undefined;
  readonly findings: readonly Finding[];
}

/** Checks one shot against its model, with the defaults merged in. A wrong default is found at the default. */
export function checkShot(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  defaults: Readonly<Record<string, unknown>>,
  catalogue: ModelCatalogue,
  folder: string,
): ShotCheck {
  const id = typeof raw['id'] === 'string' ? raw['id'] : undefined;
  const found = modelOf(raw, path, defaults, catalogue);
  if ('message' in found) return withoutModel(id, raw, path, [found]);
  const { model } = found;

  const inherited = Object.keys(defaults).filter((name) => isInherited(name, raw, model));
  const merged = {
    ...raw,
    ...Object.fromEntries(inherited.map((name) => [name, defaults[name]])),
    model: model.frozen.id,
  };
  const placeOf = (below: Path): Path => [...(inherited.includes(String(below[0])) ? ['defaults'] : path), ...below];

  const { files, findings: fileFindings } = filesOf(withoutOwnKeys(merged), model, folder);
  const findings = [
    ...valueFindings(merged, model),
    ...fileFindings,
    ...anchorFindings(raw, files),
    ...(model.ownSchema === undefined
      ? []
      : schemaFindings(model.ownSchema, withPlaceholders(merged, model), () => model.title)),
  ].map((finding) => ({ ...finding, path: placeOf(finding.path) }));

  return {
    id,
    model: model.frozen,
    title: model.title,
    path,
    raw,
    files: files.map((file) => ({ ...file, place: placeOf(file.path) })),
    links: files.flatMap(({ source, path: below }) =>
      source.kind === 'link' ? [{ link: source, path: placeOf(below) }] : [],
    ),
    clipSeconds: clipSeconds(model.frozen, merged),
    shot: findings.length === 0 && id !== undefined ? asCheckedShot(id, merged, model, files) : undefined,
    findings,
  };
}

function modelOf(
  raw: Readonly<Record<string, unknown>>,
  path: Path,
  defaults: Readonly<Record<string, unknown>>,
  catalogue: ModelCatalogue,
): { readonly model: ShotModel } | Finding {
  const [name, place] =
    'model' in raw ? [raw['model'], [...path, 'model']] : [defaults['model'], ['defaults', 'model']];
  if (name === undefined)
    return wrongValue([...path, 'model'], 'model is missing; name one here or in defaults, as model: alpha-video');
  if (typeof name !== 'string') return wrongValue(place, `model is ${shown(name)}; it must be the name of a model`);
  const model = catalogue.find(name);
  return 'message' in model ? wrongValue(place, model.message) : { model };
}

function withoutModel(
  id: string | undefined,
  raw: ShotCheck['raw'],
  path: Path,
  findings: readonly Finding[],
): ShotCheck {
  return {
    id,
    model: undefined,
    title: '',
    path,
    raw,
    files: [],
    links: [],
    clipSeconds: null,
    shot: undefined,
    findings,
  };
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

/** Only of the shot itself: a default is for those that it fits. */
function anchorFindings(
  { anchor }: Readonly<Record<string, unknown>>,
  files: readonly NamedFile[],
): readonly Finding[] {
  const carries = files.some(
    ({ parameter, source }) => parameter === 'startFrame' && source.kind === 'link' && source.frame === 'last',
  );
  if (anchor !== true || carries) return [];
  const message =
    'anchor corrects the last frame of another shot, and this shot starts on none; remove it, or start the shot on one, as startFrame: { lastFrameOf: shot }';
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
): CheckedShot {
  const values = Object.entries(spelled(withoutOwnKeys(merged), model)).sort(([a], [b]) => (a < b ? -1 : 1));
  const caption = merged['caption'];
  const { deadline, retryFailed, takes, onFailure, anchor } = merged;
  return {
    id,
    model: model.frozen,
    parameters: Object.fromEntries(values.filter(([name, value]) => !isFileParameter(name, value, model))) as Record<
      string,
      Json
    >,
    files: Object.fromEntries(
      values
        .filter(([name, value]) => isFileParameter(name, value, model))
        .map(([name, value]) => {
          const sources = files.filter(({ parameter }) => parameter === name).map(({ source }) => source);
          const [only] = sources;
          return [name, Array.isArray(value) || only === undefined ? sources : only];
        }),
    ),
    ...(typeof caption === 'string' ? { caption } : {}),
    deadlineSeconds: typeof deadline === 'number' ? deadline : defaultDeadline(model.frozen, merged),
    retryFailed: typeof retryFailed === 'number' ? retryFailed : DEFAULT_RETRY_FAILED,
    takes: typeof takes === 'number' ? takes : 1,
    review: null,
    onFailure: onFailure === 'skip' || onFailure === 'fail' ? onFailure : 'park',
    anchor: anchor === true,
  };
}

/** The common spelling of a resolution, turned into the one that the model's own schema lists. */
function spelled(values: Readonly<Record<string, unknown>>, model: ShotModel): Readonly<Record<string, unknown>> {
  const { resolution } = values;
  if (typeof resolution !== 'string') return values;
  const allowed = resolutionsOf(model);
  const own = allowed.find((name) => name.toLowerCase() === resolution.toLowerCase());
  return { ...values, resolution: own ?? resolution };
}

function resolutionsOf({ known, ownSchema }: ShotModel): readonly string[] {
  if (known !== undefined) return known.parameters.shape.resolution.unwrap().options;
  return ownSchema === undefined ? [] : choicesAt(ownSchema, ['resolution']).map(String);
}
