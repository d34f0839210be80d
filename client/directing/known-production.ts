import { type FrozenProduction, type FrozenShot } from '../../contracts/frozen';
import { GENERATIONS } from '../../contracts/identifiers';
import { type ProductionPlan } from '../../contracts/plan';
import { type Store } from '../../store';
import { type Begun, createProductionRecords } from '../production-records';
import { readFrozen } from '../read-frozen';
import { Refused, unknownProduction } from '../refused';

/** A production that was rendered at least once, as it was rendered last. */
export interface KnownProduction {
  readonly productionId: string;
  readonly begun: Begun;
  readonly production: FrozenProduction;
  readonly plan: ProductionPlan;
  /** As its file had it, without directions. */
  readonly written: FrozenProduction;
  /** Whether its render has not ended, as far as the store knows. */
  readonly isOpen: boolean;
}

/** @throws Refused where it is not known here, is another account's, or its render kept no plan. */
export async function knownProduction(store: Store, account: string, productionId: string): Promise<KnownProduction> {
  const records = createProductionRecords(store);
  const begun = await records.begun(productionId);
  if (begun === undefined || productionId === GENERATIONS) throw unknownProduction(productionId);
  if (begun.account !== account) {
    throw new Refused(
      `production "${productionId}" is rendered for the account ${begun.account}, and this is ${account}`,
    );
  }
  const plan = await records.plan(begun);
  if (plan === undefined || !(await store.assets.has(begun.production))) {
    throw new Refused(
      `nobody knows by what plan "${productionId}" was last rendered; \`dailies render FILE --id ${productionId}\` ` +
        'notes it, and pays for nothing that is there',
    );
  }
  const production = await readFrozen(store.assets, begun.production);
  const archived = await records.archived(productionId);
  return {
    productionId,
    begun,
    production,
    plan,
    written: begun.written === undefined ? production : await readFrozen(store.assets, begun.written),
    isOpen: archived?.renderId !== begun.renderId,
  };
}

/** @throws Refused where the production has no such shot. */
export function knownShot({ productionId, production }: KnownProduction, shotId: string): FrozenShot {
  const shot = production.shots.find(({ id }) => id === shotId);
  if (shot !== undefined) return shot;
  const ids = production.shots.map(({ id }) => id).join(', ');
  throw new Refused(`production "${productionId}" has no shot "${shotId}"; it has ${ids}`);
}
