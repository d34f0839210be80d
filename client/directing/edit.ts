import { canonicalJson } from '../../store';
import { directedProduction } from '../freeze/directed-production';
import { type CheckedProduction } from '../production-file';
import { planOf } from '../freeze/plan-of';
import { fallbackForm, freezeProduction, frozenForm } from '../freeze/freeze-production';
import { NothingToChange, Refused } from '../wording/refused';
import { haveSameRules } from '../records/same-rules';
import { renderCommand } from '../wording/commands';
import { absolute } from '../wording/working-folder';
import { type KnownProduction } from './known-production';
import { followsFrom, type Proposal, type ProposalContext, proposalVersion } from './proposal';
import { createOutFolders } from '../records/out-folders';

/**
 * Proposes that a running production follows a new version of its file.
 *
 * @throws Refused if the production is not running; NothingToChange if the file changes nothing.
 */
export async function proposeEdit(
  context: ProposalContext,
  known: KnownProduction,
  file: string | null,
  checked: CheckedProduction,
): Promise<Proposal> {
  const { store } = context;
  const { productionId, version: replaces, isOpen, flags } = known;
  if (!isOpen) {
    const out = await createOutFolders(store).nonDefaultFolder(productionId);
    const follow =
      file === null ? 'render it to apply this' : `\`${renderCommand(productionId, file, out)}\` renders the file`;
    throw new Refused(`production "${productionId}" is not running; ${follow}`);
  }
  const written = await frozenForm(checked, { id: productionId });
  const { production, directed, takes, byDeadline, lapsed } = await directedProduction(written, store);
  const fallback = await fallbackForm(checked, written);
  const plan = planOf(checked, { written, frozen: production, directed, takes, fallback });
  const isSame = canonicalJson(production) === canonicalJson(known.production);
  if (isSame && haveSameRules(plan, known.plan)) {
    throw new NothingToChange(`production "${productionId}" follows this file already; there is nothing to change`);
  }
  return {
    productionId,
    follows: await followsFrom(context, { written, isOpen, flags }, { production, plan, byDeadline, lapsed }),
    again: [],
    version: proposalVersion(replaces, { production, plan }),
    async change() {
      const frozen = await freezeProduction(checked, store, { id: productionId });
      return {
        productionId,
        production: frozen.ref,
        plan: frozen.plan,
        written: frozen.written,
        replaces,
        path: file === null ? null : absolute(file),
      };
    },
  };
}
