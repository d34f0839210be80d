import { resolve } from 'node:path';
import { canonicalJson } from '../../store';
import { directedProduction } from '../directed-production';
import { type CheckedProduction, freezeProduction, frozenForm, planOf } from '../production-file';
import { createProductionRecords } from '../production-records';
import { Refused } from '../refused';
import { type KnownProduction } from './known-production';
import { type Proposal, type ProposalContext, followsFrom } from './proposal';

/**
 * A running production is to follow a new version of its file.
 *
 * @throws Refused where its render has ended, or goes by this very file already.
 */
export async function proposeEdit(
  context: ProposalContext,
  known: KnownProduction,
  file: string,
  checked: CheckedProduction,
): Promise<Proposal> {
  const { store } = context;
  const { productionId, account, version: replaces, isOpen, flags } = known;
  if (!isOpen) {
    throw new Refused(`production "${productionId}" is not running; \`dailies render ${file}\` follows the file`);
  }
  const written = await frozenForm(checked, { id: productionId });
  const { production, directed } = await directedProduction(written, store);
  const plan = planOf(checked, { written, frozen: production, directed });
  const isSame = canonicalJson(production) === canonicalJson(known.production);
  if (isSame && canonicalJson(rulesOf(plan)) === canonicalJson(rulesOf(known.plan))) {
    throw new Refused(`production "${productionId}" goes by this very file already; there is nothing to change`);
  }
  return {
    productionId,
    follows: await followsFrom(context, { written, isOpen, flags }, { production, plan }),
    again: [],
    async change() {
      const {
        ref,
        plan: frozenPlan,
        written: asWritten,
      } = await freezeProduction(checked, store, { id: productionId });
      const claim = { productionId, path: resolve(file), account, takeOver: true };
      return {
        productionId,
        production: ref,
        plan: frozenPlan,
        written: asWritten,
        replaces,
        note: () => createProductionRecords(store).claim(claim),
      };
    },
  };

  /** What was decided meanwhile is no difference between two files. */
  function rulesOf({ shots, ...rest }: typeof plan): unknown {
    return { ...rest, shots: shots.map(({ directed: _directed, ...shot }) => shot) };
  }
}
