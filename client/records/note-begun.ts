import { versionOf } from '../../contracts/render/render-basis';
import { type Begun, type BegunRender, begunOf, type Store } from '../../store';

/**
 * Records a render's production, rules and origin, unless the record already has them.
 *
 * @param path of the production file; null if a program gave the production. Default: this render's recorded origin.
 * @returns the record before this call; undefined for a first render.
 */
export async function noteBegun(
  store: Store,
  account: string,
  render: BegunRender,
  path?: string | null,
): Promise<Begun | undefined> {
  const { production: productionId, renderId, frozen, basis } = render;
  const { productions } = store;
  const begun = await productions.begun(productionId);
  const isSameRender = begun?.renderId === renderId;
  const isSameOrigin = path === undefined || (path === null ? begun?.given === true : path === begun?.path);
  if (isSameRender && isSameOrigin && versionOf(begun.production, begun) === versionOf(frozen, basis)) return begun;
  const origin = path === undefined ? (isSameRender ? originOf(begun) : {}) : originOf(path);
  const plan = await productions.plan({ plan: basis?.plan });
  const kept = isSameRender ? { at: begun.at, ...(begun.batch === undefined ? {} : { batch: begun.batch }) } : {};
  const now = { ...begunOf(render, account, plan?.shots ?? []), ...kept, ...origin };
  if (begun === undefined && (await productions.beginFirst(productionId, now))) return undefined;
  // If two commands begin the first render at once, the second replaces the first one's record, and returns the
  // replaced record. `startRender` restores it if Temporal refuses the second start.
  const before = begun ?? (await productions.begun(productionId));
  await productions.begin(productionId, now);
  return before;
}

type Origin = Pick<Begun, 'path' | 'given'>;

/** The record fields for the origin of a production. */
function originOf(from: string | null | Origin): Origin {
  if (from === null) return { given: true };
  if (typeof from === 'string') return { path: from };
  return { ...(from.path === undefined ? {} : { path: from.path }), ...(from.given === true ? { given: true } : {}) };
}
