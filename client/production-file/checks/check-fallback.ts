import { checkShot, type CheckShotContext } from './check-shot';
import { type ShotCheck } from './shot-check';
import { type CheckedShot } from '../checked-production';
import { type Finding, wrongKey, wrongValue } from '../../wording/finding';
import { lengthFindings } from './shot-files';
import { type LookInto } from '../local-files';
import { type RawShot } from '../nested-shots';
import { type ProductionFrame } from '../production-frame';

/** Maximum number of shots that a message names. */
const LISTED_SHOTS = 5;

export interface FallbackCheck {
  /**
   * All shots, with the fallback applied to those that make video. Undefined if the fallback is absent or has an error.
   */
  readonly shots: readonly CheckedShot[] | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Checks the fallback as if each shot that makes video contained the fallback's values. Each error is reported once,
 * at the fallback, with the ids of the shots concerned.
 */
export async function checkFallback(
  { readyBy, fallback, findings: known }: Pick<ProductionFrame, 'readyBy' | 'fallback' | 'findings'>,
  raws: readonly RawShot[],
  checks: readonly ShotCheck[],
  { isShared, lookInto, ...context }: CheckShotContext & { readonly isShared: boolean; readonly lookInto: LookInto },
): Promise<FallbackCheck> {
  if (fallback === undefined) return { shots: undefined, findings: [] };
  const isWrongTime = known.some(({ path }) => path[0] === 'readyBy');
  const untimed =
    readyBy === undefined && !isWrongTime
      ? [wrongKey(['fallback'], 'fallback needs readyBy; add it, for example readyBy: 08:00, or remove fallback')]
      : [];
  const empty =
    Object.keys(fallback).length === 0
      ? [wrongValue(['fallback'], 'fallback is empty; name at least one of model, resolution, duration and takes')]
      : [];
  const tried = raws.flatMap((raw, index) => {
    const before = checks[index];
    if (before?.shot?.model.output !== 'video') return [];
    return [{ before, check: checkShot({ ...raw, raw: { ...raw.raw, ...fallback } }, context) }];
  });
  const shotFindings: ShotFinding[] = [];
  for (const { before, check } of tried) {
    // Whether a file is too long depends on the model. Other errors of files are reported at the shot.
    const lengths = 'model' in fallback ? await lengthFindings([check], lookInto) : [];
    shotFindings.push(...findingsOf(before, { ...check, findings: [...check.findings, ...lengths] }, fallback));
  }
  const video =
    !isShared && tried.length === 0 && checks.length > 0 && checks.every(({ shot }) => shot !== undefined)
      ? [wrongKey(['fallback'], 'fallback is for shots that make video, and no shot does; remove it')]
      : [];
  const findings = [...untimed, ...empty, ...video, ...together(shotFindings)];
  if (findings.length > 0) return { shots: undefined, findings };
  const byId = new Map(tried.flatMap(({ check: { shot } }) => (shot === undefined ? [] : [[shot.id, shot] as const])));
  return { shots: checks.flatMap(({ shot }) => (shot === undefined ? [] : [byId.get(shot.id) ?? shot])), findings: [] };
}

interface ShotFinding {
  readonly shot: string;
  readonly finding: Finding;
}

/** Reports each error at its place in the fallback. */
function findingsOf(
  { id = '', path }: ShotCheck,
  { findings, model, shot }: ShotCheck,
  fallback: object,
): readonly ShotFinding[] {
  if (shot !== undefined && model?.output !== 'video') {
    return [{ shot: id, finding: wrongValue(['fallback', 'model'], NO_VIDEO) }];
  }
  return findings.map((finding) => {
    const below = finding.path.slice(finding.path[0] === 'defaults' ? 1 : path.length);
    return { shot: id, finding: { ...finding, path: fallbackPath(String(below[0] ?? ''), fallback) } };
  });
}

export const NO_VIDEO = 'a fallback must make video, and this model does not; name a video model';

/**
 * The path at which to report an error in a shot's value `name`: the fallback's value of this name, else its model,
 * else its first value.
 */
export function fallbackPath(name: string, fallback: object): readonly string[] {
  const place = Object.hasOwn(fallback, name) ? name : 'model' in fallback ? 'model' : Object.keys(fallback)[0];
  return ['fallback', place ?? 'model'];
}

/** Combines equal findings of several shots into one. */
function together(minded: readonly ShotFinding[]): readonly Finding[] {
  const byFinding = new Map<string, { readonly finding: Finding; readonly shots: string[] }>();
  for (const { finding, shot } of minded) {
    const key = JSON.stringify(finding);
    const known = byFinding.get(key) ?? { finding, shots: [] };
    known.shots.push(shot);
    byFinding.set(key, known);
  }
  return [...byFinding.values()].map(({ finding, shots }) => {
    const names = shots.slice(0, LISTED_SHOTS).join(', ') + (shots.length > LISTED_SHOTS ? ' …' : '');
    return { ...finding, message: `${finding.message} (for ${shots.length === 1 ? 'shot' : 'shots'} ${names})` };
  });
}
