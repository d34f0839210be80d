import { type FileValuePolicy } from '../../../contracts/file/file-values';
import { GENERATIONS, toId } from '../../../contracts/identifiers';
import { Defaults } from '../../../contracts/file/production';
import { readyByRule } from '../../../contracts/file/ready-by';
import { withAnchors } from './anchors';
import { checkAssembly, checkedOutput, outputFindings } from './check-assembly';
import { checkFallback } from './check-fallback';
import { checkShot } from './check-shot';
import { type ShotCheck } from './shot-check';
import { sizeFindings } from './check-size';
import { type CheckedProduction, type CheckedShot } from '../checked-production';
import { type Finding, wrongKey, wrongValue } from '../../wording/finding';
import { createLookInto } from '../local-files';
import { type ProductionFrame, readFrame } from '../production-frame';
import { reviewsOf } from './reviews';
import { onlyStills, unfolded } from '../nested-shots';
import { schemaFindings } from '../text/schema-findings';
import { fileFindings } from './shot-files';
import { linkFindings } from './shot-links';
import { type ModelCatalogue, readModels } from '../shot-model';
import { shown } from '../../wording/phrases';

/** The part of the configuration that a production is checked against. */
export interface CheckPolicy extends FileValuePolicy {
  /** False if the workers have no secret to sign notices with. Default: true. */
  readonly signsNotices?: boolean;
  /** Whether the workers' ffmpeg can draw text. Known only if the workers run on this machine. Default: true. */
  readonly drawsText?: () => Promise<boolean>;
}

export interface CheckContext {
  /** Relative paths in the production start at this folder. */
  readonly folder: string;
  /** Text from which an id is made if the production has no id. */
  readonly fallbackId: string;
  readonly policy: CheckPolicy;
  /**
   * True if the production's `fallback` comes from a batch. A production without video shots is then no error. Default:
   * false.
   */
  readonly isFallbackShared?: boolean;
}

/** Returns all errors of a production at once, or the checked production. Sends and stores nothing. */
export async function checkProduction(
  value: unknown,
  context: CheckContext,
): Promise<{ readonly production: CheckedProduction } | { readonly findings: readonly Finding[] }> {
  const frame = readFrame(value);
  const lookInto = createLookInto();
  const { catalogue, findings: modelFindings } = await readModels(frame.models, context.folder);
  const { shots: raws, findings: nestedFindings } = unfolded(frame.shots);
  const shotContext = { defaults: frame.defaults, catalogue, folder: context.folder, stills: onlyStills(raws) };
  const shots = raws.map((raw) => checkShot(raw, shotContext));
  const identity = identityOf(frame, context);
  const isShared = context.isFallbackShared === true;
  const fallback = await checkFallback(frame, raws, shots, { ...shotContext, isShared, lookInto });
  const hasCaptions = shots.some(({ shot }) => shot?.caption !== undefined);
  const assembly = await checkAssembly(frame.assembly, shots, identity.title, {
    folder: context.folder,
    drawsText: context.policy.drawsText ?? (() => Promise.resolve(true)),
    lookInto,
    hasCaptions,
  });

  const checked = shots.flatMap(({ shot }) => shot ?? []);
  const firstVideo = checked.find(({ model }) => model.output === 'video');
  const findings = distinct([
    ...frame.findings,
    ...identity.findings,
    ...modelFindings,
    ...defaultFindings(frame.defaults, shots, catalogue),
    ...nestedFindings,
    ...shots.flatMap((shot) => shot.findings),
    ...idFindings(shots),
    ...linkFindings(
      shots.flatMap(({ id, links }) => (id === undefined ? [] : links.map((link) => ({ shot: id, ...link })))),
      // For a nested shot, use the output that its place requires. If its model makes something else, `checkShot`
      // reports this error at the nested shot.
      new Map(
        shots.flatMap(({ id, model, nested }) => (id === undefined ? [] : [[id, nested?.makes ?? model?.output]])),
      ),
    ),
    ...(await fileFindings(shots, context.policy, lookInto)),
    ...fallback.findings,
    ...assembly.findings,
    ...(firstVideo === undefined ? [] : outputFindings(frame.output, firstVideo.parameters)),
    ...notifyFindings(frame, context.policy),
    ...sizeFindings(frame, checked, fallback.shots),
  ]);
  if (findings.length > 0) return { findings };

  const reviews = reviewsOf(
    shots.map(({ id = '', written, links }) => ({
      id,
      review: written['review'],
      links: links.map(({ link }) => link.shot),
    })),
    frame.defaults['review'],
  );
  const reviewed = (some: readonly CheckedShot[]): readonly CheckedShot[] =>
    withAnchors(some.map((shot) => ({ ...shot, review: reviews.get(shot.id) ?? null })));
  const readyBy = frame.readyBy === undefined ? undefined : readyByRule(frame.readyBy);
  return {
    production: {
      id: identity.id,
      title: identity.title,
      shots: reviewed(checked),
      maxInFlight: frame.maxInFlight ?? null,
      onUnclear: frame.onUnclear ?? 'park',
      ...(frame.budget === undefined ? {} : { budget: frame.budget }),
      ...(frame.priority === undefined ? {} : { priority: frame.priority }),
      ...(frame.notify === undefined ? {} : { notify: frame.notify }),
      ...(readyBy === undefined ? {} : { readyBy }),
      ...(fallback.shots === undefined ? {} : { fallback: reviewed(fallback.shots) }),
      ...(firstVideo !== undefined
        ? { assembly: assembly.assembly, output: checkedOutput(frame.output, firstVideo.parameters) }
        : {}),
    },
  };
}

function identityOf(
  { id, title, findings }: ProductionFrame,
  { fallbackId }: CheckContext,
): { readonly id: string; readonly title: string; readonly findings: readonly Finding[] } {
  const chosen = id ?? toId(fallbackId);
  const named = { id: chosen, title: title ?? chosen };
  // A wrong id has already been reported.
  if (findings.some(({ path }) => path[0] === 'id')) return { ...named, findings: [] };
  if (chosen === '')
    return {
      ...named,
      findings: [wrongKey([], `no id can be made of the name ${shown(fallbackId)}; write one, such as id: my-film`)],
    };
  if (chosen.toLowerCase() !== GENERATIONS) return { ...named, findings: [] };
  const message = `the id ${shown(chosen)} is kept for single generations; write another, such as id: my-film`;
  return { ...named, findings: [wrongValue(['id'], message)] };
}

/** An error if notices cannot be signed, because unsigned notices are never sent. */
function notifyFindings({ notify }: ProductionFrame, { signsNotices = true }: CheckPolicy): readonly Finding[] {
  return notify === undefined || signsNotices ? [] : [wrongKey(['notify'], NO_NOTIFY_SECRET)];
}

export const NO_NOTIFY_SECRET =
  'notices are signed, and there is no secret to sign them with; set DAILIES_NOTIFY_SECRET here to that of the workers ' +
  'and the receiver, or make one for all of them: export DAILIES_NOTIFY_SECRET="whsec_$(openssl rand -base64 32)"';

/** Errors in `defaults`, except in defaults for which a shot has already reported an error. */
function defaultFindings(
  defaults: Readonly<Record<string, unknown>>,
  shots: readonly ShotCheck[],
  catalogue: ModelCatalogue,
): readonly Finding[] {
  const { model: name } = defaults;
  const model = typeof name === 'string' ? catalogue.find(name) : undefined;
  const reported = new Set(shots.flatMap(({ findings }) => findings.map(({ path }) => path.slice(0, 2).join('/'))));
  return [
    ...(model !== undefined && 'message' in model ? [wrongValue(['defaults', 'model'], model.message)] : []),
    ...schemaFindings(Defaults, defaults)
      .map((finding) => ({ ...finding, path: ['defaults', ...finding.path] }))
      .filter(({ path }) => !reported.has(path.slice(0, 2).join('/'))),
  ];
}

/** Duplicate ids. Ids become file names, and some file systems ignore case. */
function idFindings(shots: readonly ShotCheck[]): readonly Finding[] {
  const firsts = new Map<string, string>();
  const nested = new Map(shots.flatMap((shot) => (shot.nested === undefined ? [] : [[idOf(shot), shot.nested]])));
  return shots.flatMap(({ id, path, nested: own }) => {
    // A nested shot's id follows from its place, so the other shot must change its id.
    if (id === undefined || own !== undefined) return [];
    const inside = nested.get(id.toLowerCase());
    if (inside !== undefined) {
      const what = inside.makes === 'image' ? 'a still' : 'a text';
      const message = `id ${shown(id)} is taken by ${what} of shot ${shown(inside.in)}; choose another`;
      return [wrongValue([...path, 'id'], message)];
    }
    const first = firsts.get(id.toLowerCase());
    if (first === undefined) firsts.set(id.toLowerCase(), id);
    if (first === undefined) return [];
    const but =
      first === id
        ? 'an earlier shot has this id'
        : `an earlier shot has the id ${shown(first)}, and case does not count`;
    return [wrongValue([...path, 'id'], `id ${shown(id)} is taken: ${but}; choose another`)];
  });
}

function idOf({ id = '' }: ShotCheck): string {
  return id.toLowerCase();
}

function distinct(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}
