import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { carriedFrame, chainFirsts } from '../../contracts/file/frame-links';
import { type FileValuePolicy } from '../../contracts/file/file-values';
import { type FileSource, type FrozenProduction, type FrozenShot, unsentFields } from '../../contracts/render/frozen';
import { type ModelEntry } from '../../contracts/file/production';
import { knownModel } from '../../contracts/gateway/models';
import { type Assets, type PathOf } from '../../store';
import { checkShot, OWN_KEYS } from '../production-file/checks/check-shot';
import { type ShotCheck } from '../production-file/checks/shot-check';
import { type Finding, wrongValue } from '../wording/finding';
import { jsonOrText, pairs } from '../production-file/text/flag-values';
import { assetOf, describe, freezeShot, oncePerPath } from './freeze-production';
import { type FlagIssue } from '../production-file/issue';
import { createLookInto } from '../production-file/local-files';
import { TEXT_TO_COME } from '../production-file/nested-shots';
import { readFrame } from '../production-file/production-frame';
import { fileFindings } from '../production-file/checks/shot-files';
import { linkFindings, placedLinks } from '../production-file/checks/shot-links';
import { fileKind, type ModelCatalogue, readModels } from '../production-file/shot-model';
import { readSourceText } from '../production-file/text/source-text';
import { anyOf, shown } from '../wording/phrases';
import { Refused } from '../wording/refused';
import { absolute } from '../wording/working-folder';

/** Changes to a shot, given by flags or by a program. */
export interface ShotChanges {
  readonly prompt?: string | undefined;
  /** Id, title or workflow name. */
  readonly model?: string | undefined;
  /** `name=value`. The value is parsed as JSON if possible, otherwise it is text. `null` removes a parameter. */
  readonly settings?: readonly string[];
  /** Parameters as values. Text is never parsed; null removes a parameter. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export interface ChangedShot {
  readonly shot: FrozenShot;
  /** Names of the given parameters, and `model` if given. */
  readonly names: readonly string[];
  /**
   * Puts the shot's new files into the store.
   *
   * @throws Refused if a file has changed since `shot` was made.
   */
  putFiles(): Promise<void>;
}

export interface ChangeContext {
  readonly policy: FileValuePolicy;
  readonly assets: Assets;
  /** Path of the production file, if known. The file declares models, and relative paths start at its folder. */
  readonly file: string | undefined;
}

type Changed = ChangedShot | { readonly issues: readonly FlagIssue[] };

/**
 * Changes a frozen shot, with the same checks as a production file. Stores nothing.
 *
 * @throws Refused if the new parameters cannot be checked, because the file or the model's schema cannot be read.
 */
export function changedShot(
  production: FrozenProduction,
  before: FrozenShot,
  changes: ShotChanges,
  context: ChangeContext,
): Promise<Changed> {
  const sources = Object.values(before.files).flat();
  const kept = sources.flatMap((source) => (source.kind === 'asset' ? [source.asset] : []));
  return context.assets.withLocalFiles(kept, (pathOf) => changed(production, before, changes, context, pathOf));
}

async function changed(
  production: FrozenProduction,
  before: FrozenShot,
  { prompt, model, settings = [], parameters = {} }: ShotChanges,
  { policy, assets, file }: ChangeContext,
  pathOf: PathOf,
): Promise<Changed> {
  const given = pairs('--set', settings);
  const changes: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(given.pairs.map(([name, value]) => [name, jsonOrText(value)])),
    ...parameters,
    ...(prompt === undefined ? {} : { prompt }),
  };
  const folder = file === undefined ? '.' : dirname(file);
  const { entries, mistakes } = await modelEntries(production, file);
  const { catalogue, findings: wrongModels } = await readModels(entries, folder);
  const texts = Object.fromEntries(
    Object.entries(before.texts ?? {}).flatMap(([name, { shot }]) => (name in changes ? [] : [[name, shot] as const])),
  );
  const raw: Readonly<Record<string, unknown>> = {
    ...before.parameters,
    ...Object.fromEntries(Object.keys(texts).map((name) => [name, TEXT_TO_COME])),
    ...Object.fromEntries(Object.entries(before.files).map(([name, one]) => [name, asWritten(name, one, pathOf)])),
    ...changes,
    id: before.id,
    model: model ?? before.model.id,
  };
  const kept = Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null));
  const check = checkShot(
    { raw: kept, path: ['shots', 0], texts },
    { defaults: {}, catalogue, folder, stills: new Map() },
  );
  const names = [...Object.keys(changes), ...(model === undefined ? [] : ['model'])];
  if (names.length > 0) checkSchemaIsKnown(check, [...mistakes, ...wrongModels]);
  const others = production.shots.filter(({ id }) => id !== before.id);
  const findings = [
    ...check.findings,
    ...linkFindings(
      [...others.flatMap(placedLinks), ...check.links.map((link) => ({ shot: before.id, ...link }))],
      new Map([...others, { id: before.id, model: check.model }].map((one) => [one.id, one.model?.output])),
    ),
    ...(await fileFindings([check], policy, createLookInto())),
  ];
  const issues = [
    ...given.issues,
    ...(model === undefined ? [] : undeclared(model, catalogue)),
    ...Object.keys(changes)
      .filter((name) => OWN_KEYS.includes(name))
      .map((name) => ({ flag: `--set ${name}`, message: OWN_KEY_MESSAGE })),
    ...findings.map((finding) => ({ flag: flagOf(finding), message: finding.message })),
  ];
  if (check.shot === undefined || issues.length > 0) return { issues };

  const { shot } = check;
  const isNew = (name: string): boolean => name in changes || before.files[name] === undefined;
  const assetAt = oncePerPath(assetOf);
  const frozen = await freezeShot(shot, assetAt);
  const files = Object.fromEntries(
    Object.entries(frozen.files).map(([name, one]) => [name, isNew(name) ? one : (before.files[name] ?? one)]),
  );
  return {
    shot: anchored({ ...frozen, files, ...unsentFields(before) }, before, others),
    names,
    async putFiles() {
      const local = Object.entries(shot.files).flatMap(([name, one]) => (isNew(name) ? [one].flat() : []));
      for (const one of local) {
        if (one.kind !== 'local') continue;
        const { sha256 } = await assets.putFile(one.path, describe);
        if (sha256 !== (await assetAt(one.path)).sha256) throw fileChanged(one.path);
      }
    },
  };
}

/** Anchors a new start frame to the first shot of its chain, if the old start frame was anchored. */
function anchored(shot: FrozenShot, before: FrozenShot, others: readonly FrozenShot[]): FrozenShot {
  const link = carriedFrame(shot);
  const wasAnchored = carriedFrame(before)?.anchor !== undefined;
  if (!wasAnchored || link === undefined || link.anchor !== undefined) return shot;
  const anchor = chainFirsts([...others, shot]).get(shot.id);
  if (anchor === undefined || anchor === link.shot) return shot;
  return { ...shot, files: { ...shot.files, startFrame: { ...link, anchor } } };
}

function fileChanged(path: string): Refused {
  return new Refused(`${path} has changed since the shot was checked; nothing was changed, give the command again`);
}

/**
 * The issue if `--model` names a model that is neither known nor declared. A file may name any model; the flag may not,
 * because a typo would replace a model that works.
 */
function undeclared(name: string, catalogue: ModelCatalogue): readonly FlagIssue[] {
  const model = catalogue.find(name);
  if ('message' in model || model.isUndeclared !== true) return [];
  const message =
    `unknown model ${shown(name)}; name ${anyOf(catalogue.titles)}, or declare it in the file first, ` +
    `as models: { ${name}: { output: video } }`;
  return [{ flag: '--model', message }];
}

const OWN_KEY_MESSAGE =
  'this is not a parameter of a model; change it in the file, then run `dailies edit ID FILE` or `dailies render FILE`';

/**
 * Refuses changes to a shot whose model is declared in the file, if the parameters' schema cannot be read: a wrong
 * parameter would be sent and paid for.
 *
 * @throws Refused
 */
function checkSchemaIsKnown({ model, title }: ShotCheck, mistakes: readonly Finding[]): void {
  if (model === undefined || knownModel(model.id) !== undefined) return;
  const mistake = mistakes.find(
    ({ path: [part, id] }) => part === undefined || (part === 'models' && (id === undefined || id === model.id)),
  );
  if (mistake === undefined) return;
  throw new Refused(`the parameters of ${title} cannot be checked: ${mistake.message}; nothing was changed`);
}

/**
 * Model declarations of the production. The file's present declarations override the frozen ones, which lack the
 * models' schemas. `mistakes` are about the file as a whole, or about its declarations.
 */
async function modelEntries(
  { shots }: FrozenProduction,
  file: string | undefined,
): Promise<{ readonly entries: Readonly<Record<string, ModelEntry>>; readonly mistakes: readonly Finding[] }> {
  const frozen = shots.flatMap(({ model: { id, ...entry } }) => (knownModel(id) === undefined ? [[id, entry]] : []));
  const entries = Object.fromEntries(frozen) as Record<string, ModelEntry>;
  if (file === undefined) return { entries, mistakes: [] };
  const text = await readFile(absolute(file), 'utf8').catch(() => undefined);
  const { value, readable } = readSourceText(text ?? '');
  if (text === undefined || !readable) {
    const wayOut = text === undefined ? 'put the file back, or render it from its new place first' : 'correct it first';
    const message =
      `${file} ${text === undefined ? 'cannot be read' : 'is broken'}, and may name a schema of them; ` + wayOut;
    return { entries, mistakes: [wrongValue([], message)] };
  }
  const { models, findings } = readFrame(value);
  return {
    entries: { ...entries, ...models },
    mistakes: findings.filter(({ path: [part] }) => part === undefined || part === 'models'),
  };
}

/** A frozen file in the form in which a person writes it. */
function asWritten(parameter: string, source: FileSource | readonly FileSource[], pathOf: PathOf): unknown {
  if (isList(source)) return source.map((one) => asWritten(parameter, one, pathOf));
  if (source.kind === 'link') return { [LINK_NAMES[source.frame]]: source.shot };
  const place = source.kind === 'address' ? source.url : pathOf(source.asset);
  // If the parameter's name does not show that it takes a file, mark the value as a file.
  return fileKind(parameter) === undefined ? { file: place } : place;
}

const LINK_NAMES = { first: 'firstFrameOf', last: 'lastFrameOf', whole: 'stillOf' } as const;

function isList(source: FileSource | readonly FileSource[]): source is readonly FileSource[] {
  return Array.isArray(source);
}

function flagOf({ path }: Finding): string {
  const name = String(path[2] ?? '');
  return name === 'prompt' || name === 'model' ? `--${name}` : `--set ${name}`.trimEnd();
}
