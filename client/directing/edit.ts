import { createHash } from 'node:crypto';
import { canonicalJson } from '../../store';
import { directedProduction } from '../freeze/directed-production';
import { type CheckedProduction } from '../production-file';
import { planOf } from '../freeze/plan-of';
import { fallbackForm, freezeProduction, frozenForm } from '../freeze/freeze-production';
import { Refused } from '../wording/refused';
import { createOutPlaces } from '../records/out-places';
import { haveSameRules } from '../records/same-rules';
import { renderCommand } from '../wording/commands';
import { absolute } from '../wording/working-folder';
import { type KnownProduction } from './known-production';
import { type Proposal, type ProposalContext, followsFrom } from './proposal';

/** An edit. `version` identifies it by the versions before and after it; the same version is the same edit. */
export interface EditProposal extends Proposal {
  readonly version: string;
}

/**
 * Proposes that a running production follows a new version of its file.
 *
 * @throws Refused if the production is not running, or the file changes nothing.
 */
export async function proposeEdit(
  context: ProposalContext,
  known: KnownProduction,
  file: string | null,
  checked: CheckedProduction,
): Promise<EditProposal> {
  const { store } = context;
  const { productionId, version: replaces, isOpen, flags } = known;
  if (!isOpen) {
    const out = await createOutPlaces(store.records).namedElsewhere(productionId);
    const follow =
      file === null ? 'render it, to follow this' : `\`${renderCommand(productionId, file, out)}\` follows the file`;
    throw new Refused(`production "${productionId}" is not running; ${follow}`);
  }
  const written = await frozenForm(checked, { id: productionId });
  const { production, directed, takes, byDeadline, lapsed } = await directedProduction(written, store);
  const fallback = await fallbackForm(checked, written);
  const plan = planOf(checked, { written, frozen: production, directed, takes, fallback });
  const isSame = canonicalJson(production) === canonicalJson(known.production);
  if (isSame && haveSameRules(plan, known.plan)) {
    throw new Refused(`production "${productionId}" goes by this very file already; there is nothing to change`);
  }
  return {
    productionId,
    follows: await followsFrom(context, { written, isOpen, flags }, { production, plan, byDeadline, lapsed }),
    again: [],
    version: createHash('sha256').update(canonicalJson({ replaces, production, plan })).digest('hex'),
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
