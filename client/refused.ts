/** What was asked for cannot be done as things stand; nothing was changed. The message says what to do instead. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

export function unknownProduction(productionId: string): Refused {
  return new Refused(`no production "${productionId}" is known here; see \`dailies list\``);
}

/** @param what as `production "film" is rendered`. */
export function ofOtherAccount(what: string, payer: string, account: string): Refused {
  return new Refused(
    `${what} for the account ${payer}, and this is ${account}; ` +
      `set DAILIES_GATEWAY_URL and DAILIES_GATEWAY_ACCOUNT as they were for ${payer}`,
  );
}
